package conformance

import (
	"errors"
	"time"

	"github.com/gofabric/gofabric/fi"
)

// What endpoints have counted is compared with their counters after each case; see checkStats. Here is the rest.
var _ = add("stats",
	testCase{name: "levels", need: tagged, where: local, kind: core, run: statsLevels},
	testCase{name: "queues", need: tagged, where: local, run: statsQueues},
	testCase{name: "regions", need: rma | fi.CapRMAEvent, where: local, run: statsRegions},
	testCase{name: "closed", need: tagged, where: local, run: statsClosed},
	testCase{name: "connections", need: msg, connected: true, where: local, run: statsConnections},
)

// statsLevels has messages wait for receives, and receives for messages.
func statsLevels(t *test) {
	p := t.pair()
	a, b := p.a.n.eps[0], p.b.n.eps[0]
	p.exchange(call{Form: "tsend", N: 8, Seed: 1}, call{Form: "trecv", N: 8})
	before := b.Stats().Rx
	r := p.b.recv(call{Form: "trecv", N: 8, Tag: 1})
	if s := b.Stats().Rx; s.Posted != before.Posted+1 {
		t.Errorf("with one receive more: %+v, before %+v", s, before)
	}
	t.wait(p.a.to(p.b, call{Form: "tsend", N: 8, Tag: 1, Seed: 1}), r)
	if s := b.Stats().Rx; s.Posted != before.Posted || s.Unexpected != 0 || s.UnexpectedBytes != 0 {
		t.Errorf("when all is received: %+v", s)
	}
	if t.cell.set.datagrams() {
		return // they may wait in a socket, where nobody counts them
	}
	o := p.a.to(p.b, call{Form: "tsendmsg", N: 8, Tag: 2, Seed: 1, Flags: fi.OpMatchComplete | fi.OpCompletion})
	t.until("the message is kept", func() bool { return b.Stats().Rx.Unexpected == 1 }, p.b)
	if s := b.Stats().Rx; s.UnexpectedBytes < 8 || s.Kept != before.Kept+1 {
		t.Errorf("with a message that is kept: %+v", s)
	}
	if s := a.Stats(); s.Pending != 1 {
		t.Errorf("with a message that nobody has matched: %d pending", s.Pending)
	}
	t.wait(o, p.b.recv(call{Form: "trecv", N: 8, Tag: 2}))
	if s := a.Stats(); s.Pending != 0 {
		t.Errorf("when it was matched: %d pending", s.Pending)
	}
	if s := b.Stats().Rx; s.Unexpected != 0 || s.UnexpectedBytes != 0 {
		t.Errorf("when it was received: %+v", s)
	}
}

// statsQueues fills a queue until there is no place, and reads it.
func statsQueues(t *test) {
	const size = 8
	p := t.pair(func(o *openOpts) { o.CQSize = size; o.TxFlags = 0 })
	q, ep := p.a.n.txq, p.a.n.eps[0]
	was := q.Stats()
	var ops []*op
	refused := uint64(0)
	for range 4 * size {
		ops = append(ops, p.b.recv(call{Form: "trecv", N: 8}))
	}
	for sent := 0; sent < 2*size && refused < 3; {
		c := call{Form: "tsend", N: 8, Seed: 1, To: p.a.addr(p.b)}
		o, err := p.a.try(c)
		switch {
		case err == nil:
			ops = append(ops, o)
			o.target = p.b
			sent++
		case errors.Is(err, fi.ErrAgain):
			refused++
		default:
			t.Fatalf("tsend: %v", err)
		}
	}
	s, e := q.Stats(), ep.Stats()
	if refused == 0 || s.Full-was.Full != refused || e.Again < refused {
		t.Errorf("%d calls were refused; the queue says %d, the endpoint %d", refused, s.Full-was.Full, e.Again)
	}
	sent := uint64(len(ops) - 4*size)
	for end := time.Now().Add(t.patience); q.Stats().Depth < sent; { // nobody reads it meanwhile
		p.a.n.rxq.Read(nil)
		p.b.poll()
		if time.Now().After(end) {
			t.Fatalf("%d of %d sends have completed", q.Stats().Depth, sent)
		}
	}
	for i, sends := 0, ops[4*size:]; i < 4*size-len(sends); i++ { // the other receives get theirs
		t.wait(p.a.to(p.b, call{Form: "tsend", N: 8, Seed: 1}))
	}
	t.wait(ops...)
	if s = q.Stats(); s.Depth != 0 || s.Written != s.Read || s.MostDeep > size+uint64(4*size) || s.MostDeep < sent {
		t.Errorf("when all is read: %+v", s)
	}
	if d := p.a.n.dom.Stats(); d.CQ.Full < refused || d.CQ.Written < s.Written {
		t.Errorf("the domain: %+v", d.CQ)
	}
}

// statsRegions accesses a region as is allowed, and not.
func statsRegions(t *test) {
	p := t.pair()
	m := p.b.reg(regOpts{N: 64, Key: 1, Access: fi.AccessRemoteWrite})
	d := p.b.n.dom.Stats()
	if d.MRs == 0 || d.MRBytes < 64 || d.MostBytes < d.MRBytes {
		t.Errorf("with a region: %+v", d)
	}
	t.wait(p.a.to(p.b, call{Form: "write", N: 32, At: m.remote, Seed: 1}))
	t.fails(p.a.to(p.b, call{Form: "read", N: 16, At: m.remote}), fi.ErrAccess)
	s := p.b.n.regions[m.id].mr.Stats()
	if s.Write != (fi.OpStats{Done: 1, Bytes: 32}) || s.Read != (fi.OpStats{Failed: 1}) || s.Bytes != 64 {
		t.Errorf("a region that was written, and read in vain: %+v", s)
	}
}

// statsClosed closes endpoints: their last numbers stay, and the sums of the domain.
func statsClosed(t *test) {
	p := t.pair()
	for range 3 {
		p.exchange(call{Form: "tsend", N: 100, Seed: 1}, call{Form: "trecv", N: 100})
	}
	ep, dom := p.a.n.eps[0], p.a.n.dom
	before, sum := ep.Stats(), dom.Stats()
	if s := before.Ops[fi.OpKindTSend]; s.Done < 3 || s.Bytes < 300 {
		t.Errorf("three messages were sent: %+v", s)
	}
	p.a.shut(false)
	after, last := ep.Stats(), dom.Stats()
	if after.Ops[fi.OpKindTSend] != before.Ops[fi.OpKindTSend] || after.Pending != 0 || after.Conns.Open != 0 || after.Rx.Posted != 0 {
		t.Errorf("closed: %+v, before %+v", after, before)
	}
	if last.Endpoint.Ops[fi.OpKindTSend] != sum.Endpoint.Ops[fi.OpKindTSend] || last.Endpoints != sum.Endpoints-1 {
		t.Errorf("the domain's sums when it is closed: %+v, before %+v", last, sum)
	}
}

// statsConnections makes a connection, has one refused, and ends the first.
func statsConnections(t *test) {
	a, b := t.two()
	x, y := t.link(a, b)
	no := a.ask(b, nil)
	t.check(b.n.pep.Reject(b.request(nil).Info.Handle, nil))
	t.expectErr(a.n.eq, no, fi.ErrConnRefused)
	if s := b.n.pep.Stats(); s != (fi.PassiveStats{Requests: 2, Accepted: 1, Rejected: 1}) {
		t.Errorf("the passive endpoint: %+v", s)
	}
	for i, c := range []fi.ConnStats{x.Stats().Conns, y.Stats().Conns} {
		if c.Open != 1 || c.Opened != 1 || c.Failed != 0 {
			t.Errorf("end %d: %+v", i, c)
		}
	}
	if c := no.Stats().Conns; c.Open != 0 || c.Opened != 0 || c.Failed != 1 {
		t.Errorf("the one that was refused: %+v", c)
	}
	t.check(x.Shutdown())
	t.expect(a.n.eq, fi.EventShutdown, x)
	t.expect(b.n.eq, fi.EventShutdown, y)
	for i, c := range []fi.ConnStats{x.Stats().Conns, y.Stats().Conns} {
		if c.Open != 0 || c.Opened != 1 {
			t.Errorf("end %d when it has ended: %+v", i, c)
		}
	}
	if s := b.n.eq.Stats(); s.Written != s.Read || s.Written < 3 || s.MostDeep == 0 {
		t.Errorf("the event queue: %+v", s)
	}
	if f := b.n.fab.Stats(); f.Passives != 1 || f.Passive.Requests != 2 || f.EQs != 1 || f.Domains != 1 {
		t.Errorf("the fabric: %+v", f)
	}
}
