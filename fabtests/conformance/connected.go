package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
)

// In cells of connected endpoints (FI_EP_MSG) each node listens, and to make two sides known to each other is to connect
// them: what a side calls an address of a peer is the number of its endpoint that is connected there. Data calls get an
// address that means nothing, since they must ignore it.

// connected tells whether the cell's endpoints are.
func (s settings) connected() bool { return s.EP == fi.EPMsg }

// nonsense is the address of data calls on connected endpoints.
const nonsense fi.Addr = 0x1234_5678_9abc

// unconnected are the cases of families that also run on connected endpoints which make no sense there: an endpoint has
// one peer, and no address vector.
var unconnected = map[string][]string{
	"msg": {"self", "many-peers", "no-such-peer"}, "tagged": {"self", "many-peers", "no-such-peer"}, "match": {},
	"rma": {"self", "no-such-peer"}, "atomic": {"self", "query", "refused"}, "mr": {"map", "events-refused"},
	"completion": {}, "multi-recv": {}, "peek": {}, "cancel": {}, "counter": {"split"}, "fence": {"other-peer"},
	"shared-recv": {}, "alloc": {}, "issue": {"no-such-peer"},
	"trigger": {"not-asked-for", "not-offered"}, "triggered": {},
}

// connectable tells whether a case that is not about connections runs on connected endpoints.
func (tc *testCase) connectable() bool {
	not, ok := unconnected[tc.family]
	return ok && !slices.Contains(not, tc.name)
}

// listen makes the node one that peers can connect to.
func (n *node) listen(wait fi.WaitObj) (err error) {
	if n.eq, err = n.fab.OpenEQ(&fi.EQAttr{WaitObj: wait}); err != nil {
		return err
	}
	n.later(n.eq.Close)
	if n.pep, err = n.fab.OpenPassive(n.info); err != nil {
		return err
	}
	n.later(n.pep.Close)
	return errors.Join(n.pep.BindEQ(n.eq), n.pep.Listen())
}

// cmData is private data that says whose answer or request it is.
func cmData(what string, i int) []byte { return fmt.Appendf(nil, "%s %d", what, i) }

// dial begins to connect another endpoint.
func (n *node) dial(to []byte) error {
	i := len(n.eps)
	if err := n.openEndpoint(&n.opts, n.info); err != nil {
		return err
	}
	return n.eps[i].Connect(to, cmData("ask", i))
}

// step reads events, accepts what comes in, and gives the number of endpoints that are connected.
func (n *node) step() (int, error) {
	for {
		var e fi.EQEntry
		err := n.eq.Read(&e, 0)
		switch {
		case errors.Is(err, fi.ErrAgain):
			return n.up, nil
		case errors.Is(err, fi.ErrAvail):
			var bad fi.EQErrEntry
			n.eq.ReadErr(&bad)
			return n.up, &bad
		case err != nil:
			return n.up, err
		}
		switch e.Event {
		case fi.EventConnReq:
			i := len(n.eps)
			if e.FID != any(n.pep) || !bytes.HasPrefix(e.CMData, cmData("ask", i)) {
				n.say("a request from %v with %q at endpoint %d", e.FID, e.CMData, i)
			}
			if err := n.openEndpoint(&n.opts, e.Info); err != nil {
				return n.up, err
			}
			if err := n.eps[i].Accept(cmData("answer", i)); err != nil {
				return n.up, err
			}
		case fi.EventConnected:
			n.up++
		case fi.EventShutdown: // the peer closes first
		default:
			return n.up, fmt.Errorf("event %v", e.Event)
		}
	}
}

// connect connects every endpoint of s to one of peer.
func (s *side) connect(peer *side) {
	if s == peer || s.peers[peer] != nil {
		return
	}
	for range max(len(s.names), len(peer.names)) {
		want := [2]int{s.do(&request{Verb: vStep}).N + 1, peer.do(&request{Verb: vStep}).N + 1}
		s.t.check(s.do(&request{Verb: vDial, Names: peer.names[:1]}).err())
		end := time.Now().Add(s.t.patience)
		for {
			a, b := s.do(&request{Verb: vStep}), peer.do(&request{Verb: vStep})
			s.t.check(errors.Join(a.err(), b.err()))
			if a.N == want[0] && b.N == want[1] {
				break
			}
			if time.Now().After(end) {
				s.t.Fatalf("not connected within %v", s.t.patience)
			}
			runtime.Gosched()
		}
		s.peers[peer] = append(s.peers[peer], fi.Addr(want[0]-1))
		peer.peers[s] = append(peer.peers[s], fi.Addr(want[1]-1))
	}
}

// stir drives the connections of all sides that live here, without taking an event.
func (t *test) stir() {
	t.alive()
	var e fi.EQEntry
	for _, s := range t.sides {
		if s.n != nil && s.n.eq != nil && !s.settled {
			s.n.eq.Read(&e, fi.EQPeek)
		}
	}
	runtime.Gosched()
}

// nextEvent waits for the next event of a queue: an entry, or one in error.
func (t *test) nextEvent(q *fabric.EQ) (e fi.EQEntry, bad *fi.EQErrEntry) {
	for end := time.Now().Add(t.patience); ; {
		err := q.Read(&e, 0)
		switch {
		case err == nil:
			return e, nil
		case errors.Is(err, fi.ErrAvail):
			bad = new(fi.EQErrEntry)
			t.check(q.ReadErr(bad))
			return e, bad
		case !errors.Is(err, fi.ErrAgain):
			t.Fatalf("EQ.Read: %v", err)
		case time.Now().After(end):
			t.Fatalf("no event within %v", t.patience)
		}
		t.stir()
	}
}

// expect waits for an event of a kind, at an object.
func (t *test) expect(q *fabric.EQ, kind fi.EQEvent, fid any) fi.EQEntry {
	e, bad := t.nextEvent(q)
	switch {
	case bad != nil:
		t.Fatalf("an event in error: %v, want %v", bad, kind)
	case e.Event != kind || e.FID != fid:
		t.Fatalf("event %v at %T %p, want %v at %T %p", e.Event, e.FID, e.FID, kind, fid, fid)
	}
	return e
}

// expectErr waits for an event in error, at an object.
func (t *test) expectErr(q *fabric.EQ, fid any, want ...fi.Errno) *fi.EQErrEntry {
	e, bad := t.nextEvent(q)
	switch {
	case bad == nil:
		t.Fatalf("event %v, want one in error: %v", e.Event, want)
	case !slices.Contains(want, bad.Err) || bad.FID != fid:
		t.Fatalf("an event in error at %T: %v, want %v at %T", bad.FID, bad, want, fid)
	case q.StrError(bad) == "":
		t.Errorf("no words for %v", bad.Err)
	}
	return bad
}

// noEvent sees that a queue has no event.
func (t *test) noEvent(q *fabric.EQ) {
	var e fi.EQEntry
	for range 50 {
		if err := q.Read(&e, 0); !errors.Is(err, fi.ErrAgain) {
			t.Fatalf("an event that nothing explains: %v %v", e.Event, err)
		}
		t.stir()
	}
}
