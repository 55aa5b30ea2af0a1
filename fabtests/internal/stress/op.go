package stress

import (
	"github.com/gofabric/gofabric/cq"
)

// op is one operation that was posted, or tried to: the context of its completion.
type op struct {
	p        *port
	s        *step // nil: a receive for whatever comes
	what     opKind
	buf      []byte // what belongs to the operation; behind it lie bytes that nobody shall touch
	whole    []byte
	iov      [][]byte
	cmp, res []byte
	posted   bool
	done     bool
	canceled bool // somebody has asked for that
	count    int  // turns that have passed
	got      cq.Entry
	ready    bool // got holds what has come
	takes    []taken
}

// opKind is what a completion means.
type opKind int

const (
	opSend opKind = iota
	opRecv
	opRecvAny
	opBuffer // a multi-receive buffer
	opPeeking
	opClaiming
	opCancelling
)

// newOp makes an operation with a buffer of n bytes.
func (p *port) newOp(s *step, what opKind, n int) *op {
	whole := make([]byte, n+guard)
	o := &op{p: p, s: s, what: what, whole: whole, buf: whole[:n:n]}
	soil(whole[n:])
	return o
}

// split cuts a buffer into parts, at places that follow from the key.
func split(b []byte, parts int, key uint64) [][]byte {
	out := make([][]byte, 0, parts)
	for i := parts; i > 1; i-- {
		key = mix(key)
		n := 0
		if len(b) > 0 {
			n = int(key % uint64(2*len(b)/i+1))
			n = min(n, len(b))
		}
		out = append(out, b[:n:n])
		b = b[n:]
	}
	return append(out, b)
}

// guarded tells whether the bytes behind the buffer are as they were.
func (o *op) guarded() bool { return soiled(o.whole[len(o.buf):]) }
