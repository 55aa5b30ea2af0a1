package faults

import (
	"testing"
	"time"
)

// TestTooManyFiles has a side run out of descriptors: new connections fail or wait, and are made when there are some
// again; what there was goes on.
func TestTooManyFiles(t *testing.T) {
	wanted(t)
	for _, side := range []string{"dialing", "listening"} {
		t.Run(side, func(t *testing.T) {
			a, b := cabled(t)
			env := map[string]string{"FI_TCP_CONNECT_TIMEOUT": "1000"}
			x, y := pair(t, a, b, env)
			z := b.start(t, Setup{At: text(addrB, 0), Env: map[string]string{"FI_TCP_CONNECT_TIMEOUT": "30000"}})
			work := Work{Send: 1, Size: 100, First: 200}
			if side == "dialing" {
				both(x, y, 8)
				x.call("Limit", 0, nil)
				x.insert(z)
				w := work
				w.Peer = 1
				j := x.begin(w)
				d := j.report() // an idle connection makes room, or it fails
				t.Logf("%+v", d)
				if d.OK == 0 && d.Errors["FI_EMFILE"] == 0 {
					t.Errorf("without descriptors: %+v", d)
				}
				x.call("Limit", -1, nil)
				meet(x, y)
				both(x, y, 8)
				return
			}
			z.insert(x)
			x.call("Limit", 0, nil)
			j := z.begin(Work{Write: 1, Size: 8, Remote: x.at})
			select {
			case <-j.c.Done:
				t.Fatalf("without descriptors: %+v", j.done)
			case <-time.After(500 * time.Millisecond):
			}
			if share := x.busy(200 * time.Millisecond); share > 0.5 {
				t.Errorf("a listener without descriptors takes %.0f %% of a processor", 100*share)
			}
			x.call("Limit", -1, nil)
			j.well()
			both(x, y, 8)
		})
	}
}

// TestSilentCallers takes the last descriptors of a side by connections on which nothing is said. They go when somebody
// wants to speak; what there was stays.
func TestSilentCallers(t *testing.T) {
	wanted(t)
	a, b := cabled(t)
	x, y := pair(t, a, b, nil)
	z := b.start(t, Setup{At: text(addrB, 0)})
	both(x, y, 8)
	const n = 3
	x.call("Limit", n, nil)
	before := y.stats().Descriptors
	y.call("Call", Callers{To: x.name, N: n}, nil)
	z.insert(x)
	z.begin(Work{Write: 1, Size: 8, Remote: x.at}).well()
	if now := y.stats().Descriptors; now != before+n {
		t.Errorf("%d descriptors and, with %d more, %d: a connection ended that had spoken", before, n, now)
	}
	x.call("Limit", -1, nil)
	both(x, y, 8)
}

// TestIdleCap sends to more peers than may be connected: those that were used last stay, all can be reached.
func TestIdleCap(t *testing.T) {
	wanted(t)
	a, b := cabled(t)
	const most, n = 3, 8
	x := a.start(t, Setup{At: text(addrA, 0), Env: map[string]string{"FI_TCP_MAX_IDLE": "3", "FI_TCP_USER_TIMEOUT": "200"}})
	before := x.stats().Descriptors
	var all []*remote
	for range n {
		y := b.start(t, Setup{At: text(addrB, 0)})
		x.insert(y)
		y.insert(x)
		all = append(all, y)
	}
	for range 2 {
		for i, y := range all {
			w := Work{Peer: 0, Write: 2, Fetch: 1, Size: 100}
			w.Peer, w.Remote = peerOf(i), y.at
			x.begin(w).well()
		}
	}
	for end := time.Now().Add(patient); ; {
		got := x.stats().Descriptors - before
		if got == most {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%d connections stay, %d may", got, most)
		}
		<-time.After(10 * time.Millisecond)
	}
	x.begin(Work{Peer: peerOf(0), Remote: all[0].at, Write: 1, Size: 8}).well()
}

// TestPings has a peer vanish while nothing is under way: the connection ends all the same, and an operation that waits for
// the peer's application fails.
func TestPings(t *testing.T) {
	wanted(t)
	for _, ext := range []string{"1", "0"} {
		t.Run("extension="+ext, func(t *testing.T) {
			a, b, w := wired(t, harm{})
			env := map[string]string{"FI_TCP_USER_TIMEOUT": "4000", "FI_TCP_KEEPALIVE": "1", "FI_TCP_EXTENSION": ext, "FI_TCP_CONNECT_TIMEOUT": "4000", "FI_TCP_RENDEZVOUS": "64K"}
			x, y := pair(t, a, b, env)
			before := x.stats().Descriptors
			x.begin(Work{Write: 4, Size: 8, Remote: y.at}).well()
			<-time.After(6 * time.Second) // it lives as long as the peer answers
			if got := x.stats().Descriptors - before; got != 1 {
				t.Fatalf("%d connections with a peer that is there", got)
			}
			var j *job
			if ext == "1" {
				j = x.begin(Work{Send: 1, Size: 1 << 20, Limit: 2 * patient}) // announced; no receive takes it
				<-time.After(200 * time.Millisecond)
			}
			w.set(harm{cut: true})
			if j != nil {
				if d := j.report(); d.Errors["FI_ETIMEDOUT"] != 1 || d.Took > patient {
					t.Errorf("%+v", d)
				}
			}
			for end := time.Now().Add(patient); x.stats().Descriptors > before; {
				if time.Now().After(end) {
					t.Fatal("the connection is still there")
				}
				<-time.After(20 * time.Millisecond)
			}
		})
	}
}
