package fabric_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// TestExplainHasWords asks for every number that the comments of data calls name.
func TestExplainHasWords(t *testing.T) {
	_, ep, q, av := unbound(fi.CapMsg | fi.CapAtomic)
	check(errors.Join(ep.BindCQ(q, fi.BindTransmit|fi.BindRecv), ep.BindAV(av), ep.Enable()))
	must(av.Insert([][]byte{must(ep.Name())}, nil, 0))
	for n, word := range map[fi.Errno]string{fi.ErrAgain: "read the completion queues", fi.ErrInvalid: "AV.Insert",
		fi.ErrMsgSize: "at most ", fi.ErrNoSys: "hints", fi.ErrOpNotSupp: "QueryAtomic", fi.ErrBadFlags: "documentation",
		fi.ErrNoMsg: "fi.OpClaim", fi.ErrCanceled: fi.ErrCanceled.Error()} {
		err := ep.Explain(n)
		var e *fi.Error
		if !errors.As(err, &e) || !errors.Is(err, n) || !strings.Contains(e.Hint, word) {
			t.Errorf("%v: got %v", n, err)
		}
	}
	other := errors.New("other")
	if ep.Explain(nil) != nil || ep.Explain(other) != other || q.Explain(other) != other || q.Explain(nil) != nil { //nolint:errorlint // the same
		t.Error("errors that need no explanation were changed")
	}
	if err := q.Explain(fi.ErrAvail); err != fi.ErrAvail { //nolint:errorlint // the same
		t.Errorf("no error completion is there, got %v", err)
	}
}

// TestErrorCompletionsHaveWords causes one completion of each kind of failure.
func TestErrorCompletionsHaveWords(t *testing.T) {
	ctx := context.Background()
	p := open(fi.CapMsg | fi.CapTagged | fi.CapRMA | fi.CapAtomic)
	buf, eight := make([]byte, 100), make([]byte, 8)
	region := must(p.d.RegisterMR(make([]byte, 64), fi.AccessRemoteRead, &fi.MRAttr{Key: 1}))
	at := region.Remote()
	for _, c := range []struct {
		what string
		end  int // whose queue tells
		do   func() error
		err  fi.Errno
		word string
	}{
		{"a wrong key", 0, func() error { return p.ep[0].Read(eight, p.peer[0], mr.Remote{Key: 77}, nil) }, fi.ErrKeyRejected, "MR.Remote"},
		{"a range outside", 0, func() error { return p.ep[0].Read(eight, p.peer[0], at.At(60), nil) }, fi.ErrInvalid, "MR.Len"},
		{"a missing right", 0, func() error { return p.ep[0].Write(eight, p.peer[0], at, nil) }, fi.ErrAccess, "fi.AccessRemoteWrite"},
		{"an atomic outside", 0, func() error {
			return p.ep[0].FetchAtomic(nil, eight, p.peer[0], at.At(60), fi.TypeUint64, fi.AtomicRead, nil)
		}, fi.ErrInvalid, "aligned"},
		{"a truncation", 1, func() error {
			return errors.Join(p.ep[1].Recv(eight, fi.AddrUnspec, nil), p.ep[0].Inject(buf, p.peer[0]))
		}, fi.ErrTruncated, "the message has 100 bytes, the buffer takes 8"},
		{"a cancelled receive", 1, func() error {
			return errors.Join(p.ep[1].TRecv(eight, fi.AddrUnspec, 1, 0, &buf), p.ep[1].Cancel(&buf))
		}, fi.ErrCanceled, "Cancel or Close"},
		{"a peek that finds nothing", 1, func() error {
			return p.ep[1].TRecvMsg(&fi.TaggedMsg{Addr: fi.AddrUnspec, Tag: 5}, fi.OpPeek)
		}, fi.ErrNoMsg, "peek again"},
		{"a peer that is gone", 0, func() error {
			return errors.Join(p.ep[1].Close(), p.ep[0].Send(eight, p.peer[0], nil))
		}, fi.ErrConnRefused, "enable the peer first"},
	} {
		t.Run(c.what, func(t *testing.T) {
			if err := c.do(); err != nil {
				t.Fatal(err)
			}
			_, err := p.q[c.end].SRead(ctx, make([]cq.Entry, 1))
			var e *cq.ErrEntry
			if err = p.q[c.end].Explain(err); !errors.As(err, &e) {
				t.Fatalf("got %v", err)
			}
			if e.Err != c.err || !strings.Contains(e.Text, c.word) || p.q[c.end].StrError(e) != e.Text {
				t.Errorf("got %v, want %v and %q", e, c.err, c.word)
			}
		})
	}
}
