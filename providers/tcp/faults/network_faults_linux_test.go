package faults

import (
	"testing"
	"time"
)

// pair opens an agent on each side; they know each other as 0.
func pair(t *testing.T, a, b *namespace, env map[string]string) (x, y *remote) {
	t.Helper()
	x = a.start(t, Setup{At: text(addrA, 0), Env: env})
	y = b.start(t, Setup{At: text(addrB, 0), Env: env})
	x.insert(y)
	y.insert(x)
	return x, y
}

// both has messages, writes and atomics go both ways at once, of all sizes.
func both(x, y *remote, n int) {
	x.t.Helper()
	w := Work{Send: n, Recv: n, Write: n / 4, Fetch: n / 4, Size: 300_000, Sizes: true, Delivered: true, Limit: 2 * patient}
	v := w
	w.Remote, v.Remote = y.at, x.at
	j, k := x.begin(w), y.begin(v)
	j.well()
	k.well()
}

// meet has both find each other again, after a fault that only one of them may have noticed so far.
func meet(x, y *remote) {
	x.t.Helper()
	for end := time.Now().Add(patient); ; {
		j, k := x.begin(Work{Write: 1, Remote: y.at, Size: 8}), y.begin(Work{Write: 1, Remote: x.at, Size: 8})
		if j.report().OK+k.report().OK == 2 {
			return
		}
		if time.Now().After(end) {
			x.t.Fatalf("they do not find each other: %+v, %+v", j.done, k.done)
		}
	}
}

// TestBadNetwork loses, delays and reorders packets: everything arrives, once.
func TestBadNetwork(t *testing.T) {
	wanted(t)
	for name, h := range map[string]harm{
		"loss":    {loss: 0.03},
		"delay":   {delay: 5 * time.Millisecond},
		"reorder": {reorder: 0.1, delay: time.Millisecond},
		"all":     {loss: 0.02, reorder: 0.05, delay: 2 * time.Millisecond},
	} {
		t.Run("wire/"+name, func(t *testing.T) {
			a, b, _ := wired(t, h)
			x, y := pair(t, a, b, nil)
			both(x, y, 40)
		})
	}
	for name, args := range map[string][]string{
		"loss":    {"loss", "3%"},
		"reorder": {"delay", "3ms", "reorder", "90%", "loss", "1%"},
	} {
		t.Run("netem/"+name, func(t *testing.T) {
			a, b := cabled(t)
			for _, n := range []*namespace{a, b} {
				if err := n.try(append([]string{"tc", "qdisc", "add", "dev", "cable", "root", "netem"}, args...)...); err != nil {
					t.Skipf("known: this system has no netem: %v", err)
				}
			}
			x, y := pair(t, a, b, nil)
			both(x, y, 40)
		})
	}
}

// TestCutCable takes the link down under traffic: what is under way fails in time. When the link is up again, peers find
// each other.
func TestCutCable(t *testing.T) {
	wanted(t)
	a, b := cabled(t)
	env := map[string]string{"FI_TCP_USER_TIMEOUT": "1000", "FI_TCP_CONNECT_TIMEOUT": "1000", "FI_TCP_KEEPALIVE": "1"}
	x, y := pair(t, a, b, env)
	both(x, y, 8)
	a.run(t, "ip", "link", "set", "cable", "down")
	j := x.begin(Work{Send: 20, Write: 4, First: 100, Size: 300_000, Remote: y.at, Window: 8, Delivered: true, Limit: 2 * patient})
	d := j.report()
	if d.OK > 0 || d.Took > patient {
		t.Errorf("with the cable cut: %+v", d)
	}
	t.Logf("%+v", d)
	a.run(t, "ip", "link", "set", "cable", "up")
	meet(x, y)
	both(x, y, 8)
}

// TestCutWire is the same with a wire that carries nothing any more: the system hears nothing of it.
func TestCutWire(t *testing.T) {
	wanted(t)
	a, b, w := wired(t, harm{})
	// The wire is this process: it stands still when the machine has other things to do.
	env := map[string]string{"FI_TCP_USER_TIMEOUT": "4000", "FI_TCP_CONNECT_TIMEOUT": "4000", "FI_TCP_KEEPALIVE": "1"}
	x, y := pair(t, a, b, env)
	both(x, y, 8)
	w.set(harm{cut: true})
	j := x.begin(Work{Send: 20, Write: 4, First: 100, Size: 300_000, Remote: y.at, Window: 8, Delivered: true, Limit: 2 * patient})
	d := j.report()
	if d.OK > 0 || d.Errors["FI_ETIMEDOUT"] == 0 || d.Took > patient {
		t.Errorf("with the wire cut: %+v", d)
	}
	t.Logf("%+v", d)
	w.set(harm{})
	meet(x, y)
	both(x, y, 8)
}
