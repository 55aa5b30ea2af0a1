package interop_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/providers/tcp"
)

// node is an endpoint of ours with all that it needs.
type node struct {
	t      *testing.T
	f      *fabric.Fabric
	d      *fabric.Domain
	q      *fabric.CQ
	av     *fabric.AV
	ep     *fabric.Endpoint
	eq     *fabric.EQ // of connected endpoints, as what follows
	pep    *fabric.PassiveEndpoint
	srx    *fabric.SharedRx
	info   *fi.Info
	done   map[any]result
	remote []cq.Entry // of peers' writes
	closed bool
}

// result is how an operation has ended.
type result struct {
	cq.Entry
	err *cq.ErrEntry
}

type setup struct {
	env     map[string]string
	caps    fi.Caps
	virtual bool
	name    []byte // where to listen
	manual  bool
	ep      fi.EPType // RDM, if not set
	shared  bool      // connected: with a shared receive context, and tagged messages
}

const rdmCaps = fi.CapMsg | fi.CapTagged | fi.CapRMA | fi.CapSource | fi.CapDirectedRecv | fi.CapMultiRecv | fi.CapAtomic

func registry(own map[string]string) *fabric.Registry {
	return fabric.NewRegistry(tcp.NewEnv(func(k string) (string, bool) {
		if v, ok := own[k]; ok {
			return v, true
		}
		if k == "FI_TCP_IFACE" {
			return "127.0.0.1", true
		}
		return os.LookupEnv(k)
	}))
}

func newNode(t *testing.T, s setup) *node {
	t.Helper()
	n := openNode(t, s)
	if s.ep == fi.EPMsg {
		n.listen(s)
		return n
	}
	var err error
	n.av, err = n.d.OpenAV(nil)
	n.must(err)
	n.ep, err = n.d.OpenEndpoint(n.info)
	n.must(err)
	n.must(n.ep.BindCQ(n.q, fi.BindTransmit|fi.BindRecv))
	n.must(n.ep.BindAV(n.av))
	n.must(n.ep.Enable())
	return n
}

// openNode opens all but endpoints.
func openNode(t *testing.T, s setup) *node {
	t.Helper()
	reg := registry(s.env)
	h := &fi.Hints{Caps: rdmCaps | s.caps, EP: &fi.EPAttr{Type: fi.EPRDM}, Domain: &fi.DomainAttr{Threading: fi.ThreadSafe}, SrcAddr: s.name}
	if s.env["FI_TCP_EXTENSION"] == "0" {
		h.Caps &^= fi.CapAtomic
	}
	if s.ep == fi.EPMsg {
		h.EP.Type = fi.EPMsg
		h.Caps = fi.CapMsg | fi.CapRMA | fi.CapMultiRecv | fi.CapAtomic | s.caps
		if s.shared {
			h.Caps |= fi.CapTagged
		}
	}
	if s.virtual {
		h.Domain.MRMode = fi.MRModeVirtAddr | fi.MRModeProvKey | fi.MRModeAllocated
	}
	if s.manual {
		h.Domain.Progress = fi.ProgressManual
	}
	infos, err := fabric.GetInfo(context.Background(), h, fabric.WithRegistry(reg))
	if err != nil {
		t.Fatal(err)
	}
	n := &node{t: t, info: infos[0], done: make(map[any]result)}
	n.f, err = fabric.Open(infos[0], fabric.WithRegistry(reg))
	n.must(err)
	n.d, err = n.f.OpenDomain(infos[0])
	n.must(err)
	n.q, err = n.d.OpenCQ(nil)
	n.must(err)
	t.Cleanup(n.close)
	return n
}

func (n *node) close() {
	if n.closed {
		return
	}
	n.closed = true
	shut := func(open bool, f func() error) {
		if open {
			if err := f(); err != nil {
				n.t.Errorf("close: %v", err)
			}
		}
	}
	shut(n.ep != nil, n.ep.Close)
	shut(n.pep != nil, n.pep.Close)
	shut(n.srx != nil, n.srx.Close)
	shut(n.av != nil, n.av.Close)
	shut(n.eq != nil, n.eq.Close)
	shut(true, n.q.Close)
	shut(true, n.d.Close)
	shut(true, n.f.Close)
}

func (n *node) must(err error) {
	n.t.Helper()
	if err != nil {
		n.t.Fatal(err)
	}
}

func (n *node) name() []byte {
	n.t.Helper()
	raw, err := n.ep.Name()
	n.must(err)
	return raw
}

func (n *node) insert(raw []byte) fi.Addr {
	n.t.Helper()
	out := make([]fi.Addr, 1)
	_, err := n.av.Insert([][]byte{raw}, out, 0)
	n.must(err)
	return out[0]
}

// take reads completions until enough says so, or until d has passed.
func (n *node) take(d time.Duration, enough func() bool) bool {
	n.t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), d)
	defer stop()
	for !enough() {
		var e [16]cq.Entry
		k, err := n.q.SRead(ctx, e[:])
		for _, x := range e[:k] {
			if x.Context == nil {
				n.remote = append(n.remote, x)
				continue
			}
			n.finish(x.Context, result{Entry: x})
		}
		if errors.Is(err, fi.ErrAvail) {
			bad := new(cq.ErrEntry)
			n.must(n.q.ReadErr(bad))
			n.finish(bad.Context, result{Entry: bad.Entry, err: bad})
		} else if err != nil {
			if ctx.Err() != nil {
				return enough()
			}
			n.t.Fatal(err)
		}
	}
	return true
}

func (n *node) finish(ctx any, r result) {
	n.t.Helper()
	if _, twice := n.done[ctx]; twice {
		n.t.Fatalf("an operation has completed twice: %+v", r)
	}
	n.done[ctx] = r
}

// end waits for an operation, however it ends.
func (n *node) end(ctx *int) result {
	n.t.Helper()
	if !n.take(patience, func() bool { _, ok := n.done[ctx]; return ok }) {
		n.t.Fatal("ours: an operation does not complete")
	}
	r := n.done[ctx]
	delete(n.done, ctx)
	return r
}

// good waits for an operation that must succeed.
func (n *node) good(ctx *int) cq.Entry {
	n.t.Helper()
	r := n.end(ctx)
	if r.err != nil {
		n.t.Fatalf("ours: %v", r.err)
	}
	return r.Entry
}

// bad waits for an operation that must fail.
func (n *node) bad(ctx *int) *cq.ErrEntry {
	n.t.Helper()
	r := n.end(ctx)
	if r.err == nil {
		n.t.Fatalf("ours: an operation has succeeded: %+v", r.Entry)
	}
	return r.err
}

// written waits for the completion of a peer's write with data.
func (n *node) written() cq.Entry {
	n.t.Helper()
	if !n.take(patience, func() bool { return len(n.remote) > 0 }) {
		n.t.Fatal("ours: no completion of the peer's write with data")
	}
	e := n.remote[0]
	n.remote = n.remote[1:]
	return e
}

// post repeats a call until it is accepted.
func (n *node) post(call func() error) {
	n.t.Helper()
	until := time.Now().Add(patience)
	for {
		err := call()
		if err != fi.ErrAgain { //nolint:errorlint // documented: bare values
			n.must(err)
			return
		}
		if time.Now().After(until) {
			n.t.Fatal("ours: FI_EAGAIN for ever")
		}
		n.take(time.Millisecond, func() bool { return false })
	}
}

// pages are the first 64 KiB of the pattern that both sides agree on (testdata/ops.c) for each seed; then it repeats.
var pages [256]struct {
	once sync.Once
	b    [1 << 16]byte
}

func page(seed uint64) []byte {
	p := &pages[byte(seed*17)]
	p.once.Do(func() {
		for i := range p.b {
			p.b[i] = byte(i*31 + i>>8 + int(byte(seed*17)))
		}
	})
	return p.b[:]
}

func pattern(n int, seed uint64) []byte {
	b, p := make([]byte, n), page(seed)
	for rest := b; len(rest) > 0; {
		rest = rest[copy(rest, p):]
	}
	return b
}

func (n *node) same(what string, b []byte, seed uint64) {
	n.t.Helper()
	p := page(seed)
	for off := 0; off < len(b); off += len(p) {
		part := b[off:min(off+len(p), len(b))]
		if bytes.Equal(part, p[:len(part)]) {
			continue
		}
		for i := range part {
			if part[i] != p[i] {
				n.t.Fatalf("ours: %s: byte %d of %d is %#x, not %#x", what, off+i, len(b), part[i], p[i])
			}
		}
	}
}

// pieces cuts a buffer into three.
func pieces(b []byte) [][]byte {
	if len(b) < 3 {
		return [][]byte{b}
	}
	return [][]byte{b[:len(b)/3], b[len(b)/3 : len(b)/2], b[len(b)/2:]}
}
