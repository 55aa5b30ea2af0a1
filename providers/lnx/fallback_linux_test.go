package lnx_test

import (
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fi"
)

// TestFallback has a peer that claims to be on this host, and whose socket is elsewhere: what was accepted meanwhile goes
// by the other link, in order.
func TestFallback(t *testing.T) {
	a := open(t, map[string]string{"FI_LNX_HOST": "one", "FI_SHM_CONNECT_TIMEOUT": "20"})
	b := open(t, map[string]string{"FI_LNX_HOST": "one", "FI_SHM_SOCKET_DIR": t.TempDir()})
	to := a.knows(b)
	canceled := new(int)
	for i := range 5 {
		buf := []byte{byte(i)}
		a.check(a.ep.TInject(buf, to, 9))
		buf[0] = 99 // it is ours again
		if i == 2 {
			a.check(a.ep.TSend([]byte{77}, to, 9, canceled))
			a.check(a.ep.Cancel(canceled))
		}
	}
	if a.ep.Stats().Pending != 5 {
		t.Errorf("%d operations are pending, want 5", a.ep.Stats().Pending)
	}
	if e, bad := a.next(); bad == nil || bad.Err != fi.ErrCanceled || e.Context != canceled {
		t.Errorf("cancel: %+v %+v", e, bad)
	}
	buf := make([]byte, 1)
	for i := range 5 {
		b.check(b.ep.TRecv(buf, fi.AddrUnspec, 9, 0, nil))
		for done := false; !done; {
			_, _ = a.q.Read(nil) //nolint:errcheck // drives only
			done = b.ep.Stats().Rx.Posted == 0
			_, _ = b.q.Read(nil) //nolint:errcheck // drives only
		}
		if b.done(); buf[0] != byte(i) {
			t.Fatalf("message %d has %d", i, buf[0])
		}
	}
	if got := a.route(to); got != "tcp" {
		t.Errorf("the link is %q, want tcp", got)
	}
}

// TestRemovedWhileConnecting removes a peer that is being sought: what was accepted ends.
func TestRemovedWhileConnecting(t *testing.T) {
	a := open(t, map[string]string{"FI_LNX_HOST": "one", "FI_SHM_CONNECT_TIMEOUT": "20"})
	b := open(t, map[string]string{"FI_LNX_HOST": "one", "FI_SHM_SOCKET_DIR": t.TempDir()})
	to := a.knows(b)
	a.check(a.ep.TSend([]byte("x"), to, 9, a))
	a.check(a.av.Remove([]fi.Addr{to}))
	if e, bad := a.next(); bad == nil || bad.Err != fi.ErrConnRefused || e.Context != a {
		t.Errorf("the send ended with %+v %+v, want FI_ECONNREFUSED", e, bad)
	}
}

// TestNoCommonLink refuses a peer that no link leads to when it is inserted.
func TestNoCommonLink(t *testing.T) {
	a := open(t, map[string]string{"FI_LNX_HOST": "one", "FI_LNX_PROV_LINKS": "shm"})
	b := open(t, map[string]string{"FI_LNX_HOST": "two"})
	var addr [1]fi.Addr
	_, err := a.av.Insert([][]byte{b.name}, addr[:], 0)
	if err == nil || !strings.Contains(err.Error(), "no link leads there") {
		t.Errorf("inserted: %v", err)
	}
}
