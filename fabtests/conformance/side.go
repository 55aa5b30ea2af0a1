package conformance

import (
	"errors"
	"time"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// side is one end of a case: a node here or in the second process, and what the case knows of its operations.
type side struct {
	t     *test
	index int
	opts  openOpts
	n     *node // here
	agent *agent
	id    int // of the node there
	from  *fabric.Registry
	tap   *tap // in cases of what only providers see
	info  *fi.Info
	names [][]byte
	peers map[*side][]fi.Addr // what we call the endpoints of others

	ops     map[int]*op
	events  []comp       // completions of what peers did
	settled bool         // closed
	open    map[*op]bool // connected endpoints: what was pending before any of them was closed
	// uncounted says that the case made calls behind the suite's back: counters are not compared.
	uncounted bool
	unseen    bool // there are receives whose success is not reported
	lost      bool // its process was killed

	silentOK  [numCounters]uint64 // accepted operations that never report success, and their bytes
	silentLen [numCounters]uint64
}

// op is an accepted operation.
type op struct {
	s       *side
	id      int
	call    call
	target  *side
	comps   []comp
	expect  int    // completions that must come; for multi-receives until the buffer comes back
	maybe   int    // completions that may come beyond: failures of silent operations
	multi   bool   // takes many messages
	back    bool   // the multi-receive's buffer came back
	claimed bool   // the case has looked at its error
	counts  []bool // whether a counter counts the completion of each call with this context; the last goes on
}

// counted tells whether a counter counts the i-th completion.
func (o *op) counted(i int) bool { return o.counts[min(i, len(o.counts)-1)] }

// newSide opens a side. Even sides live here; odd ones in the second process, if there is one and the case is not a
// local one.
func (t *test) newSide(o openOpts) *side {
	s := &side{t: t, index: len(t.sides), opts: o, peers: map[*side][]fi.Addr{}, ops: map[int]*op{}}
	t.sides = append(t.sides, s)
	if t.suite.h.Pair == TwoProcess && t.tc.where == anywhere && s.index%2 == 1 {
		var err error
		if s.agent, err = t.suite.theAgent(); err != nil {
			t.Fatalf("second process: %v", err)
		}
		if t.remoteSides() == 1 {
			s.do(&request{Verb: vBaseline})
		}
		s.agent.next++
		s.id = s.agent.next
	} else {
		s.n = &node{}
		s.from = fabric.NewRegistry(t.suite.h.Provider)
		if t.tc.tapped {
			s.tap = &tap{Provider: t.suite.h.Provider}
			s.from = fabric.NewRegistry(s.tap)
		}
	}
	r := s.do(&request{Verb: vOpen, Open: o})
	if r.Err != nil {
		t.Fatalf("open: %v", r.Err)
	}
	s.names, s.info = r.Names, r.Info
	return s
}

func (t *test) remoteSides() (n int) {
	for _, s := range t.sides {
		if s.agent != nil {
			n++
		}
	}
	return n
}

// do asks the side for something.
func (s *side) do(q *request) *response {
	if s.n != nil {
		r := s.n.serve(s.from, q)
		s.trouble(r)
		return r
	}
	q.Node = s.id
	r, err := s.agent.do(q)
	if err != nil {
		if s.lost {
			return &response{Err: toWire(err)}
		}
		s.t.suite.agent = nil
		s.lost = true
		s.t.Fatalf("side %d: %v", s.index, err)
	}
	s.trouble(r)
	return r
}

func (s *side) trouble(r *response) {
	for _, text := range r.Trouble {
		s.t.Errorf("side %d: %s", s.index, text)
	}
}

// addr is what s calls an endpoint of peer.
func (s *side) addr(peer *side) fi.Addr { return s.peers[peer][0] }

// insert makes peer's endpoints known to s.
func (s *side) insert(peer *side) {
	if s.opts.Set.connected() {
		s.connect(peer)
		return
	}
	r := s.do(&request{Verb: vInsert, Names: peer.names})
	if r.Err != nil || r.N != len(peer.names) {
		s.t.Fatalf("av_insert: %d of %d: %v", r.N, len(peer.names), r.Err)
	}
	s.peers[peer] = r.Addrs
}

// try makes a call once.
func (s *side) try(c call) (*op, error) {
	if s.opts.Set.connected() {
		if c.To < nonsense {
			c.EP = int(c.To)
		}
		c.To = nonsense
	}
	if s.t.cell.untags(s.t.tc) {
		c.Form, c.Tag, c.Ignore = trimT(c.Form), 0, 0
	}
	r := s.do(&request{Verb: vPost, Call: c})
	if r.Err != nil {
		return nil, r.Err
	}
	if o := s.ops[r.ID]; o != nil { // a context was used again
		o.expect++
		o.counts = append(o.counts, c.Flags&(fi.OpPeek|fi.OpDiscard) == 0)
		return o, nil
	}
	o := &op{s: s, id: r.ID, call: c, expect: 1}
	o.counts = []bool{c.Flags&(fi.OpPeek|fi.OpDiscard) == 0}
	o.multi = c.isRecv() && c.Flags&fi.OpMultiRecv != 0
	if s.quiet(&c) {
		o.expect, o.maybe = 0, 1
		if c.isRecv() {
			s.unseen = true
		} else {
			s.silentOK[c.counter()]++
			s.silentLen[c.counter()] += uint64(c.N)
		}
	}
	s.ops[r.ID] = o
	return o, nil
}

// quiet tells whether success is not reported.
func (s *side) quiet(c *call) bool {
	if c.silent() {
		return true
	}
	sel, none, def := s.opts.SelTx, s.opts.NoTxCQ, s.opts.TxFlags
	if c.isRecv() {
		sel, none, def = s.opts.SelRx, s.opts.NoRxCQ, s.opts.RxFlags
	}
	switch {
	case none:
		return true
	case !sel || c.Flags&fi.OpPeek != 0:
		return false
	case c.msgForm():
		return c.Flags&fi.OpCompletion == 0
	}
	return def&fi.OpCompletion == 0
}

// post makes a call that must be accepted, at the latest when there was some progress.
func (s *side) post(c call) *op {
	end := time.Now().Add(s.t.patience)
	for {
		o, err := s.try(c)
		if err == nil {
			return o
		}
		if !errors.Is(err, fi.ErrAgain) {
			s.t.Fatalf("%s: %v", c.Form, err)
		}
		if time.Now().After(end) {
			s.t.Fatalf("%s: still FI_EAGAIN after %v", c.Form, s.t.patience)
		}
		s.t.pump()
	}
}

// to makes a call to peer that must be accepted.
func (s *side) to(peer *side, c call) *op {
	c.To = s.addr(peer)
	o := s.post(c)
	o.target = peer
	return o
}

// refuse makes a call that must return an error at once.
func (s *side) refuse(c call, want fi.Errno) {
	o, err := s.try(c)
	switch {
	case err == nil:
		o.expect, o.maybe = 0, 9
		s.t.Errorf("%s was accepted, want %v", c.Form, want)
	case !errors.Is(err, want):
		s.t.Errorf("%s: %v, want %v", c.Form, err, want)
	}
}

// from is a receive's source: nobody in particular.
const anyone = fi.AddrUnspec

// recv posts a receive from anyone that must be accepted.
func (s *side) recv(c call) *op {
	c.To = anyone
	return s.post(c)
}

// poll takes what has completed.
func (s *side) poll() {
	s.t.alive()
	if s.settled || s.lost {
		return
	}
	r := s.do(&request{Verb: vPoll})
	s.take(r.Comps)
}

func (s *side) take(comps []comp) {
	for _, c := range comps {
		o := s.ops[c.Op]
		switch {
		case c.Op == 0 && c.Err != 0:
			s.silentError(c)
		case c.Op == 0:
			s.events = append(s.events, c)
		case o == nil:
			s.t.Errorf("side %d: a completion with a context that no operation has: %v", s.index, &c)
		default:
			o.add(c)
		}
	}
}

// silentError gives an error without a context to the silent operation that is waited for, or to the oldest: injects
// have no context.
func (s *side) silentError(c comp) {
	best, awaited := 0, false
	for id, o := range s.ops {
		if len(o.comps) > 0 || !o.call.silent() {
			continue
		}
		if want := o.expect > 0; best == 0 || want && !awaited || want == awaited && id < best {
			best, awaited = id, want
		}
	}
	if best == 0 {
		s.t.Errorf("side %d: an error completion of no operation: %v", s.index, &c)
		return
	}
	s.ops[best].add(c)
}

func (o *op) add(c comp) {
	t := o.s.t
	if o.back || !o.multi && len(o.comps) >= o.expect+o.maybe {
		t.Errorf("side %d: %s completed once too often: %v", o.s.index, o.call.Form, &c)
		return
	}
	o.comps = append(o.comps, c)
	if o.multi && c.Flags&fi.CompMultiRecv != 0 {
		o.back = true
	}
	if c.Err != 0 && o.s.quiet(&o.call) && !o.call.isRecv() { // it did not succeed after all
		o.s.silentOK[o.call.counter()]--
		o.s.silentLen[o.call.counter()] -= uint64(o.call.N)
	}
}

// done tells whether everything that must come has come.
func (o *op) done() bool {
	if o.multi {
		return o.back
	}
	return len(o.comps) >= o.expect
}

// last is the youngest completion.
func (o *op) last() *comp { return &o.comps[len(o.comps)-1] }

// region is registered memory of a side.
type region struct {
	s      *side
	id     int
	n      int
	remote mr.Remote
}

// reg registers memory that must be accepted.
func (s *side) reg(o regOpts) *region {
	r := s.do(&request{Verb: vReg, Reg: o})
	if r.Err != nil {
		s.t.Fatalf("mr_reg: %v", r.Err)
	}
	return &region{s: s, id: r.ID, n: o.N, remote: r.Remote}
}

// close ends the region.
func (r *region) close() {
	if a := r.s.do(&request{Verb: vUnreg, ID: r.id}); a.Err != nil {
		r.s.t.Fatalf("mr_close: %v", a.Err)
	}
}

// bytes is what the region's memory holds.
func (r *region) bytes(off, n int) []byte {
	return r.s.do(&request{Verb: vRegion, ID: r.id, Off: off, N: n}).Bytes
}

// set writes the region's memory.
func (r *region) set(off int, b []byte) {
	r.s.do(&request{Verb: vFill, ID: r.id, Off: off, Bytes: b})
}

// events are the counts of the counters bound to the region.
func (r *region) events() (written, read uint64) {
	c := r.s.do(&request{Verb: vEvents, ID: r.id}).Counts
	return c[0], c[1]
}
