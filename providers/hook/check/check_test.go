package check_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/testx/selftalk"
	"github.com/gofabric/gofabric/providers/hook/check"
	"github.com/gofabric/gofabric/providers/mem"
)

const caps = fi.CapMsg | fi.CapTagged | fi.CapRMA

// line makes places comparable: the file is this one, the numbers change with every edit.
var line = regexp.MustCompile(`check_test\.go:\d+`)

// mistakes are what the checker finds, and beside each what is right. Of a report the kind and the text are compared, and
// that it names a line of this file.
var mistakes = []struct {
	name string
	do   func(k *selftalk.Talk)
	kind check.Kind // empty: nothing is wrong
	text string
}{
	{"context reused", func(k *selftalk.Talk) {
		ctx := new(int)
		k.Check(k.EP.TRecv(make([]byte, 8), fi.AddrUnspec, 1, 0, ctx), k.EP.TRecv(make([]byte, 8), fi.AddrUnspec, 2, 0, ctx))
	}, check.Context, "HERE: context reused while operation 1 is in flight (posted at HERE): give each operation a context of its own until its completion is there"},
	{"context used again after its completion", func(k *selftalk.Talk) {
		ctx := new(int)
		for range 2 {
			k.Check(k.EP.TSend([]byte("x"), 0, 1, ctx))
			k.Read(1)
		}
	}, "", ""},
	{"no context", func(k *selftalk.Talk) {
		k.Check(k.EP.Recv(make([]byte, 8), fi.AddrUnspec, nil), k.EP.Recv(make([]byte, 8), fi.AddrUnspec, nil))
	}, "", ""},
	{"buffer posted twice", func(k *selftalk.Talk) {
		buf := make([]byte, 64)
		k.Check(k.EP.Recv(buf[:40], fi.AddrUnspec, nil), k.EP.TRecv(buf[39:], fi.AddrUnspec, 1, 0, nil))
	}, check.Overlap, "HERE: fi_trecv is given a buffer to fill while operation 1 is in flight (posted at HERE) with a part of it: give each operation a buffer of its own until its completion is there"},
	{"buffer in two parts", func(k *selftalk.Talk) {
		buf := make([]byte, 64)
		k.Check(k.EP.Recv(buf[:40], fi.AddrUnspec, nil), k.EP.TRecv(buf[40:], fi.AddrUnspec, 1, 0, nil))
	}, "", ""},
	{"buffer of a receive sent", func(k *selftalk.Talk) {
		buf := make([]byte, 64)
		k.Check(k.EP.RecvV([][]byte{make([]byte, 8), buf}, fi.AddrUnspec, nil), k.EP.TSend(buf[:8], 0, 1, nil))
	}, check.Overlap, "HERE: fi_tsend is given a buffer to send while operation 1 is in flight (posted at HERE) and fills a part of it: wait for its completion first"},
	{"buffer sent twice", func(k *selftalk.Talk) {
		buf := make([]byte, 64)
		k.Check(k.EP.SetMinMultiRecv(8), k.EP.TSend(buf, 0, 1, nil), k.EP.TSend(buf, 0, 1, nil), k.EP.Inject(buf, 0))
	}, "", ""},
	{"buffer changed", func(k *selftalk.Talk) {
		buf := make([]byte, 64)
		k.Check(k.EP.TSendMsg(&fi.TaggedMsg{Iov: [][]byte{buf}, Tag: 1}, fi.OpMatchComplete))
		buf[63]++
		k.Check(k.EP.TRecv(make([]byte, 64), fi.AddrUnspec, 1, 0, nil))
		k.Read(2)
	}, check.Changed, "HERE: the buffer of this fi_tsendmsg (operation 1) was changed before its completion: what the peer got is not certain; leave it alone until then"},
	{"large buffer changed", func(k *selftalk.Talk) {
		buf := make([]byte, 1<<20)
		k.Check(k.EP.TSendMsg(&fi.TaggedMsg{Iov: [][]byte{buf}, Tag: 1}, fi.OpMatchComplete))
		clear(buf[100_000:200_000])
		buf[0]++
		k.Check(k.EP.TRecv(make([]byte, 1<<20), fi.AddrUnspec, 1, 0, nil))
		k.Read(2)
	}, check.Changed, "HERE: the buffer of this fi_tsendmsg (operation 1) was changed before its completion: what the peer got is not certain; leave it alone until then"},
	{"injected buffer changed", func(k *selftalk.Talk) {
		buf := make([]byte, 64)
		k.Check(k.EP.TSendMsg(&fi.TaggedMsg{Iov: [][]byte{buf}, Tag: 1}, fi.OpMatchComplete|fi.OpInject|fi.OpCompletion))
		buf[63]++
		k.Check(k.EP.TRecv(make([]byte, 64), fi.AddrUnspec, 1, 0, nil))
		k.Read(2)
	}, "", ""},
	{"closed with a send in flight", func(k *selftalk.Talk) {
		k.Check(k.EP.Recv(make([]byte, 8), fi.AddrUnspec, nil),
			k.EP.TSendMsg(&fi.TaggedMsg{Iov: [][]byte{make([]byte, 8)}, Tag: 1}, fi.OpMatchComplete))
		k.Check(k.EP.Close())
	}, check.Closed, "HERE: endpoint closed while operation 2 is in flight (posted at HERE): read its completion first, or it is not known whether it was done"},
	{"region closed with its descriptor in use", func(k *selftalk.Talk) {
		buf := make([]byte, 8)
		m, err := k.Domain.RegisterMR(buf, fi.AccessSend, &fi.MRAttr{Key: 9})
		k.Check(err, k.EP.TSendMsg(&fi.TaggedMsg{Iov: [][]byte{buf}, Desc: []fi.Desc{m.Desc()}, Tag: 1}, fi.OpMatchComplete), m.Close())
		k.Check(k.EP.TRecv(make([]byte, 8), fi.AddrUnspec, 1, 0, nil))
		k.Read(2)
	}, check.MR, "HERE: memory region closed while operation 1 is in flight (posted at HERE) uses it: wait for the completion, and of peers' accesses for their word"},
	{"region closed after its last use", func(k *selftalk.Talk) {
		m, err := k.Domain.RegisterMR(make([]byte, 8), fi.AccessRemoteWrite, &fi.MRAttr{Key: 9})
		k.Check(err, k.EP.Write([]byte("x"), 0, m.Remote(), nil))
		k.Read(1)
		k.Check(m.Close())
	}, "", ""},
	{"nothing bound", func(k *selftalk.Talk) {
		ep, err := k.Domain.OpenEndpoint(k.Info)
		k.Check(err)
		if err := ep.Enable(); !errors.Is(err, fi.ErrNoAV) {
			k.Check(err)
		}
		k.Check(ep.Close())
	}, check.Bind, "HERE: mem: enable: FI_ENOAV: no address vector (the endpoint has no address vector: call BindAV first)"},
	{"a read that nothing tells of", func(k *selftalk.Talk) {
		ep, err := k.Domain.OpenEndpoint(k.Info)
		k.Check(err)
		n, err := k.Domain.OpenCounter(nil)
		k.Check(err, ep.BindAV(k.AV), ep.BindCounter(n, fi.CountWrite|fi.CountRecv), ep.Enable())
		m, err := k.Domain.RegisterMR(make([]byte, 8), fi.AccessRemoteRead, nil)
		k.Check(err, ep.Read(make([]byte, 8), 0, m.Remote(), nil), ep.Close(), n.Close(), m.Close())
	}, check.Bind, "HERE: nothing would tell when this fi_read is done: call BindCQ with fi.BindTransmit, or BindCounter with fi.CountRead, before Enable"},
	{"a queue that nobody reads", func(k *selftalk.Talk) {
		for range 60 {
			k.Check(k.EP.TSend(nil, 0, 1, nil))
		}
	}, check.Undrained, "HERE: 56 completions wait in a queue for 64, and nobody reads them: read the queue, or open a larger one (CQAttr.Size)"},
}

// TestMistakes makes every mistake: it is reported once, with the line that made it, and nothing else is.
func TestMistakes(t *testing.T) {
	for _, m := range mistakes {
		t.Run(m.name, func(t *testing.T) {
			var got []check.Report
			var log bytes.Buffer
			k := selftalk.Open(t, check.New(mem.New(), func(r check.Report) { got = append(got, r) }), caps,
				fabric.WithSlog(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})))
			m.do(k)
			k.Close() // waits for the reports
			if m.kind == "" {
				if len(got) != 0 || log.Len() != 0 {
					t.Errorf("reported: %v, %s", got, log.String())
				}
				return
			}
			if len(got) != 1 || got[0].Kind != m.kind || line.ReplaceAllString(got[0].String(), "HERE") != m.text {
				t.Errorf("\n got %v\nwant %s: %s", got, m.kind, m.text)
			}
			if n := strings.Count(log.String(), "\n"); n != 1 || !strings.Contains(log.String(), "ofi_hook_check") {
				t.Errorf("%d lines in the log: %s", n, log.String())
			}
		})
	}
}

// TestOncePerPlace makes one mistake many times at one place, and then at another one.
func TestOncePerPlace(t *testing.T) {
	var got []check.Report
	k := selftalk.Open(t, check.New(mem.New(), func(r check.Report) { got = append(got, r) }), caps)
	ctx := new(int)
	for range 5 {
		k.Check(k.EP.TRecv(make([]byte, 8), fi.AddrUnspec, 1, 0, ctx))
	}
	k.Check(k.EP.TRecv(make([]byte, 8), fi.AddrUnspec, 1, 0, ctx))
	k.Close()
	if len(got) != 2 || got[0].Place == got[1].Place || got[0].Posted != got[1].Posted || got[0].Operation != 1 {
		t.Errorf("reports: %v", got)
	}
}

// TestManyInFlight posts receives in an order that is not that of their addresses, and completes them in another one: none
// is in another's way, and no memory of them is left.
func TestManyInFlight(t *testing.T) {
	var got []check.Report
	k := selftalk.Open(t, check.New(mem.New(), func(r check.Report) { got = append(got, r) }), caps)
	const n = 500
	buf := make([]byte, 64*n)
	for i := range n {
		j := i * 7 % n
		k.Check(k.EP.TRecv(buf[64*j:64*j+64], fi.AddrUnspec, uint64(j), 0, &buf[64*j]))
	}
	for i := range n {
		j := i * 11 % n
		k.Check(k.EP.TSend(fmt.Append(nil, j), 0, uint64(j), nil))
		k.Read(2)
	}
	for i := range n {
		k.Check(k.EP.TRecv(buf[64*i:64*i+64], fi.AddrUnspec, uint64(i), 0, &buf[64*i]))
	}
	k.Close()
	if len(got) != 0 {
		t.Errorf("reports: %v", got)
	}
}
