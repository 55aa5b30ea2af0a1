package match

import (
	"bytes"
	"slices"

	"github.com/gofabric/gofabric/fi"
)

// The model is the same queue as two slices that are searched from the front.

type modelRecv struct {
	id          int // in the upper half of its flags
	src         fi.Addr
	tag, ignore uint64
	group       uint32
	ctx         any
	multi       bool
	left        int // of a multi-receive
	bufs        int
	real        *Recv // of a multi-receive
	running     int   // transfers into it
	posted      bool
}

type modelMsg struct {
	id      int // its Data
	peer    *modelPeer
	src     fi.Addr
	tag     uint64
	group   uint32
	payload []byte
	ctx     any
	real    *Msg
}

type modelPeer struct{ addr fi.Addr }

func (r *modelRecv) takes(m *modelMsg) bool {
	return r.group == m.group && (r.src == fi.AddrUnspec || r.src == m.src) && (r.tag^m.tag)&^r.ignore == 0
}

// A transfer is a message that has a receive and is not delivered yet.
type transfer struct {
	r    *modelRecv
	real *Recv
}

const modelMinLeft = 4

// failer is what a test and a rapid test have in common.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// model drives both sides; pick chooses from 0 to n-1.
type model struct {
	t         failer
	pick      func(n int) int
	q         Queue
	posted    []*modelRecv
	msgs      []*modelMsg
	claimed   []*modelMsg
	transfers []transfer
	peers     []*modelPeer
	ctxs      []any
	masks     []uint64
	tags      int
	ids       int
}

var allMasks = []uint64{0, ^uint64(0), 1, 3, 2, 4, 6, 12, 5, 9, 14, 7}

func newModel(t failer, pick func(n int) int) *model {
	m := &model{t: t, pick: pick}
	for i := range 4 {
		m.peers = append(m.peers, &modelPeer{addr: fi.Addr(i)})
	}
	m.peers[3].addr = fi.AddrUnspec
	for i := range 5 {
		m.ctxs = append(m.ctxs, &m.peers[i%4].addr)
	}
	m.ctxs = append(m.ctxs, nil, 7, []int{1}) // odd ones must not hurt
	m.masks = allMasks[:[]int{1, 2, 4, len(allMasks)}[pick(4)]]
	m.tags = []int{4, 16, 300}[pick(3)]
	return m
}

func (m *model) newRecv(multi bool) *modelRecv {
	m.ids++
	r := &modelRecv{id: m.ids, src: fi.AddrUnspec, tag: uint64(m.pick(m.tags)), ignore: m.masks[m.pick(len(m.masks))],
		ctx: m.ctxs[m.pick(len(m.ctxs))], multi: multi, posted: true}
	if m.pick(2) == 0 {
		r.src = fi.Addr(m.pick(4))
	}
	if m.pick(8) == 0 {
		r.group = 1
	}
	return r
}

// isReal checks that the queue handed out the right receive.
func (m *model) isReal(r *modelRecv, real *Recv) {
	m.t.Helper()
	switch {
	case (r == nil) != (real == nil):
		m.t.Fatalf("receive: got %v, want %v", real, r)
	case r == nil:
	case int(real.Flags>>32) != r.id || real.Multi() != r.multi || real.Src() != r.src || real.Group() != r.group ||
		real.Tag() != r.tag&^r.ignore || len(real.Iov()) != r.bufs:
		m.t.Fatalf("receive: got %+v, want %+v", real, r)
	case r.multi && real != r.real:
		m.t.Fatalf("multi-receive %d moved", r.id)
	}
}

func (m *model) isMsg(want *modelMsg, got *Msg) {
	m.t.Helper()
	switch {
	case (want == nil) != (got == nil):
		m.t.Fatalf("message: got %v, want %+v", got, want)
	case want == nil:
	case int(got.Data) != want.id || got.Src != want.src || got.Tag != want.tag || got.Group != want.group ||
		got.From != any(want.peer) || got.Len != len(want.payload) || !bytes.Equal(got.Payload, want.payload) ||
		got != want.real:
		m.t.Fatalf("message: got %+v, want %+v", got, want)
	}
}

// first gives the oldest message that r takes.
func (m *model) first(r *modelRecv) *modelMsg {
	if i := slices.IndexFunc(m.msgs, r.takes); i >= 0 {
		return m.msgs[i]
	}
	return nil
}

func drop[T comparable](s []T, x T) []T {
	i := slices.Index(s, x)
	return slices.Delete(s, i, i+1)
}

func (m *model) post() {
	r := m.newRecv(false)
	want := m.first(r)
	flags := fi.OpFlags(r.id) << 32
	var got *Msg
	if m.pick(4) == 0 {
		r.bufs = 2
		got = m.q.PostV([][]byte{make([]byte, 1), make([]byte, 2)}, r.src, r.tag, r.ignore, r.group, r.ctx, flags)
	} else {
		got = m.q.Post(make([]byte, 3), r.src, r.tag, r.ignore, r.group, r.ctx, flags|fi.OpMultiRecv)
	}
	m.isMsg(want, got)
	if want != nil {
		m.msgs = drop(m.msgs, want)
		m.q.Free(got)
		return
	}
	m.posted = append(m.posted, r)
}

func (m *model) postMulti() {
	r := m.newRecv(true)
	r.left = m.pick(40)
	m.posted = append(m.posted, r)
	flags := fi.OpFlags(r.id) << 32
	r.real = m.q.PostMulti(make([]byte, r.left), r.src, r.tag, r.ignore, r.group, r.ctx, flags)
	for {
		var want *modelMsg
		if r.posted {
			want = m.first(r)
		}
		got := m.q.Next(r.real)
		m.isMsg(want, got)
		if want == nil {
			return
		}
		m.msgs = drop(m.msgs, want)
		m.match(r, r.real, len(want.payload))
		m.q.Free(got)
	}
}

// match gives a message of n bytes to a receive that was handed out.
func (m *model) match(r *modelRecv, real *Recv, n int) {
	room := r.left
	if !r.multi {
		room = len(real.Buf)
		r.posted = false
	}
	if got := len(m.q.Consume(real, n, modelMinLeft)); got != min(n, room) {
		m.t.Fatalf("consumed %d of %d for %d", got, room, n)
	}
	if r.multi {
		r.left -= min(n, room)
		if r.left < modelMinLeft {
			m.posted = drop(m.posted, r)
			r.posted = false
		}
	}
	r.running++
	m.transfers = append(m.transfers, transfer{r, real})
	for m.pick(2) == 0 && len(m.transfers) > 0 {
		m.done()
	}
}

// done ends a transfer.
func (m *model) done() {
	if len(m.transfers) == 0 {
		return
	}
	x := m.transfers[m.pick(len(m.transfers))]
	m.transfers = drop(m.transfers, x)
	x.r.running--
	want := x.r.multi && !x.r.posted && x.r.running == 0
	if got := m.q.Done(x.real); got != want {
		m.t.Fatalf("receive %+v released: got %v, want %v", x.r, got, want)
	}
}

func (m *model) arrive() {
	m.ids++
	p := m.peers[m.pick(len(m.peers))]
	msg := &modelMsg{id: m.ids, peer: p, src: p.addr, tag: uint64(m.pick(m.tags))}
	if m.pick(8) == 0 {
		msg.group = 1
	}
	msg.payload = bytes.Repeat([]byte{byte(m.ids)}, []int{0, 1, 8, inlineMax, inlineMax + 1, 500, 1 << 14, 20_000}[m.pick(8)])
	var want *modelRecv
	if i := slices.IndexFunc(m.posted, func(r *modelRecv) bool { return r.takes(msg) }); i >= 0 {
		want = m.posted[i]
	}
	got := m.q.Arrive(msg.src, msg.tag, msg.group)
	m.isReal(want, got)
	if want == nil {
		msg.real = m.q.Keep(msg.src, msg.tag, msg.group, msg.payload)
		msg.real.From, msg.real.Data = p, uint64(msg.id)
		m.msgs = append(m.msgs, msg)
		return
	}
	if !want.multi {
		m.posted = drop(m.posted, want)
	}
	m.match(want, got, len(msg.payload))
}

// peek looks for a message and perhaps claims or discards it.
func (m *model) peek() {
	r := m.newRecv(false)
	want := m.first(r)
	got := m.q.Peek(r.src, r.tag, r.ignore, r.group)
	m.isMsg(want, got)
	if want == nil {
		return
	}
	switch m.pick(4) {
	case 0:
		m.q.Claim(got, r.ctx)
		want.ctx = r.ctx
		m.msgs = drop(m.msgs, want)
		m.claimed = append(m.claimed, want)
	case 1:
		m.q.Remove(got)
		m.isMsg(want, got)
		m.q.Free(got)
		m.msgs = drop(m.msgs, want)
	case 2:
		m.q.Free(got)
		m.msgs = drop(m.msgs, want)
	}
}

func same(a, b any) bool { return equatable(a) && equatable(b) && a == b }

func (m *model) takeClaimed() {
	ctx := m.ctxs[m.pick(len(m.ctxs))]
	var want *modelMsg
	if i := slices.IndexFunc(m.claimed, func(x *modelMsg) bool { return same(x.ctx, ctx) }); i >= 0 {
		want = m.claimed[i]
	}
	got := m.q.Claimed(ctx)
	m.isMsg(want, got)
	if want != nil {
		m.claimed = drop(m.claimed, want)
		m.q.Free(got)
	}
}

// gone answers a receive that was cancelled.
func (m *model) gone(want *modelRecv, got *Recv) {
	m.isReal(want, got)
	if want == nil {
		return
	}
	m.posted = drop(m.posted, want)
	want.posted = false
	if released := m.q.Done(got); released != (want.multi && want.running == 0) {
		m.t.Fatalf("cancelled %+v: released %v", want, released)
	}
}

func (m *model) cancel() {
	ctx := m.ctxs[m.pick(len(m.ctxs))]
	for range 1 + m.pick(3)*10 {
		var want *modelRecv
		if i := slices.IndexFunc(m.posted, func(r *modelRecv) bool { return same(r.ctx, ctx) }); i >= 0 {
			want = m.posted[i]
		}
		m.gone(want, m.q.Cancel(ctx))
	}
}

func (m *model) drain() {
	m.q.Drain(func(r *Recv) { m.gone(m.posted[0], r) })
	if len(m.posted) != 0 {
		m.t.Fatalf("%d receives left", len(m.posted))
	}
}

// readdress gives a peer another address, or takes it away.
func (m *model) readdress() {
	p := m.peers[m.pick(len(m.peers))]
	addr := fi.Addr(m.pick(4))
	if m.pick(4) == 0 {
		addr = fi.AddrUnspec
	}
	p.addr = addr
	for _, c := range m.claimed {
		if c.peer == p {
			c.src = addr
		}
	}
	var changed []*modelMsg
	for _, x := range m.msgs {
		if x.peer == p && x.src != addr {
			x.src = addr
			changed = append(changed, x)
		}
	}
	next := func() (*modelRecv, *modelMsg) {
		for len(changed) > 0 {
			x := changed[0]
			changed = changed[1:]
			if i := slices.IndexFunc(m.posted, func(r *modelRecv) bool { return r.takes(x) }); i >= 0 {
				return m.posted[i], x
			}
		}
		return nil, nil
	}
	m.q.Readdress(p, addr, func(r *Recv, x *Msg) {
		wantR, wantM := next()
		m.isReal(wantR, r)
		m.isMsg(wantM, x)
		if !wantR.multi {
			m.posted = drop(m.posted, wantR)
		}
		m.msgs = drop(m.msgs, wantM)
		m.match(wantR, r, x.Len)
		m.q.Free(x)
	})
	if _, x := next(); x != nil {
		m.t.Fatalf("not delivered: %+v", x)
	}
}

// dead removes some messages of a peer, and checks that all are shown in their order.
func (m *model) dead() {
	p, odd := m.peers[m.pick(len(m.peers))], m.pick(2)
	all := slices.Concat(m.msgs, m.claimed)
	i := 0
	m.q.EachMessage(func(x *Msg) bool {
		m.isMsg(all[i], x)
		if x.From == any(p) && int(x.Data)&1 == odd {
			m.q.Free(x)
		}
		i++
		return true
	})
	if i != len(all) {
		m.t.Fatalf("%d of %d messages shown", i, len(all))
	}
	gone := func(x *modelMsg) bool { return x.peer == p && x.id&1 == odd }
	m.msgs = slices.DeleteFunc(m.msgs, gone)
	m.claimed = slices.DeleteFunc(m.claimed, gone)
}

// step does one thing.
func (m *model) step() {
	switch m.pick(40) {
	case 0:
		m.drain()
	case 1:
		m.cancel()
	case 2:
		m.readdress()
	case 3:
		m.dead()
	case 4, 5, 6:
		m.takeClaimed()
	case 7, 8, 9:
		m.peek()
	case 10, 11:
		m.postMulti()
	case 12, 13, 14:
		m.done()
	case 15: // many of one side
		for range 60 {
			m.arrive()
		}
	case 16:
		for range 60 {
			m.post()
		}
	case 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27:
		m.post()
	default:
		m.arrive()
	}
	m.check()
}

func (m *model) check() {
	m.t.Helper()
	if got := m.q.Posted(); got != len(m.posted) {
		m.t.Fatalf("posted: got %d, want %d", got, len(m.posted))
	}
	if got := m.q.Unexpected(); got != len(m.msgs) {
		m.t.Fatalf("unexpected: got %d, want %d", got, len(m.msgs))
	}
	bytes := 0
	for _, x := range slices.Concat(m.msgs, m.claimed) {
		bytes += msgBytes + cap(x.real.buf)
	}
	if got := m.q.Bytes(); got != bytes {
		m.t.Fatalf("bytes: got %d, want %d", got, bytes)
	}
}
