package interop_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gofabric/gofabric/fi"
)

// TestStorm has both sides send whatever there is, in any order, much of it before it is asked for, with all of C's
// settings that change how its stream is cut.
func TestStorm(t *testing.T) {
	t.Parallel()
	for name, env := range map[string][]string{
		"as-it-is":      nil,
		"unstaged":      {"FI_NET_STAGING_SBUF_SIZE=0", "FI_TCP_STAGING_SBUF_SIZE=0"},
		"unfetched":     {"FI_NET_PREFETCH_RBUF_SIZE=0", "FI_TCP_PREFETCH_RBUF_SIZE=0"},
		"odd-buffers":   {"FI_NET_STAGING_SBUF_SIZE=777", "FI_NET_PREFETCH_RBUF_SIZE=333", "FI_TCP_STAGING_SBUF_SIZE=777", "FI_TCP_PREFETCH_RBUF_SIZE=333"},
		"delayed":       {"FI_NET_NODELAY=0", "FI_TCP_NODELAY=0"},
		"nothing-saved": {"FI_NET_MAX_SAVED=0"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, kind := range []fi.EPType{fi.EPRDM, fi.EPMsg} {
				t.Run(fmt.Sprint(kind), func(t *testing.T) {
					if name == "nothing-saved" && kind == fi.EPMsg {
						return // it is the same there
					}
					storm(t, kind, env)
				})
			}
		})
	}
}

func storm(t *testing.T, kind fi.EPType, env []string) {
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 1))
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	})
	var l *link
	if kind == fi.EPMsg {
		c := startPeer(t, "msg-shared", "tcp", "0", "offset", env...)
		l = &link{n: newNode(t, setup{ep: fi.EPMsg, shared: true}), c: c, atC: -1, toC: fi.AddrUnspec, from: fi.AddrNotAvail}
		l.connectAs(roles[rnd.IntN(2)])
	} else {
		l = newLink(t, setup{}, "offset", env...)
	}
	// Messages of ours that C is to keep; the receives for others are posted before. 1.17 keeps four, of up to 128 bytes:
	// after that it reads no further until somebody receives.
	late := 4
	if kind == fi.EPMsg || slices.Contains(env, "FI_NET_MAX_SAVED=0") {
		late = 0
	}
	var ours, theirs []func()
	size := func() int {
		n := []int{0, 1, 100, 128, 4000, 4096, 5000, 9000, 20000, 100000}[rnd.IntN(10)]
		return n + rnd.IntN(n/8+1)
	}
	const count = 120
	for i := range count {
		n, s, f := size(), uint64(rnd.IntN(200)), ourForms[rnd.IntN(5)]
		id, x := -1, new(int)
		post := func() { id = l.c.start("trecv", "len=%d seed=%d tag=%d", n, s, i) }
		kept := rnd.IntN(10) == 0 && late > 0
		if kept {
			late--
			n = min(n, 128)
		} else {
			post()
		}
		l.send(pattern(n, s), true, uint64(i), f, x)
		ours = append(ours, func() {
			if kept {
				post()
			}
			l.n.good(x)
			if got := l.c.done(id); got.n != n {
				t.Errorf("message %d of ours: %d bytes, not %d", i, got.n, n)
			}
		})

		k, p := size(), uint64(rnd.IntN(200))
		letters := []string{"", "c", "d", "v", "dcv"}[rnd.IntN(5)]
		b, y := make([]byte, k), new(int)
		receive := func() { l.n.must(l.n.rx().TRecv(b, fi.AddrUnspec, uint64(i)|1<<32, 0, y)) }
		early := rnd.IntN(2) == 0
		if early {
			receive()
		}
		sent := l.c.start("tsend", "to=%d len=%d seed=%d tag=%d data=5 flags=%s", l.atC, k, p, uint64(i)|1<<32, letters)
		theirs = append(theirs, func() {
			if !early {
				receive()
			}
			l.n.good(y)
			l.n.same(fmt.Sprintf("message %d of C", i), b, p)
			l.c.done(sent)
		})
	}
	rnd.Shuffle(count, func(i, j int) { ours[i], ours[j] = ours[j], ours[i] })
	rnd.Shuffle(count, func(i, j int) { theirs[i], theirs[j] = theirs[j], theirs[i] })
	for i := range count {
		ours[i]()
		theirs[i]()
	}
}
