package mpi

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/gofabric/gofabric/mpi/internal/device"
)

// tree is how members of a group talk that have no communicator yet: by messages of another one, along a binomial tree.
type tree struct {
	c     *Comm
	call  string
	ranks []int // world ranks
	rank  int   // one's own place
	tag   uint32
	mark  uint64 // of the group
}

// most gives the largest number of all.
func (t *tree) most(ctx context.Context, x uint32) (uint32, error) {
	ok := true
	parent, children := t.edges()
	for _, r := range children {
		mark, y, err := t.recv(ctx, r)
		if err != nil {
			return 0, err
		}
		ok = ok && mark == t.mark
		x = max(x, y)
	}
	mark := t.mark
	if !ok {
		mark = 0 // everybody must know
	}
	if parent >= 0 {
		if err := t.send(ctx, parent, mark, x); err != nil {
			return 0, err
		}
		var err error
		if mark, x, err = t.recv(ctx, parent); err != nil {
			return 0, err
		}
	}
	if mark != t.mark {
		mark = 0
	}
	for _, r := range children {
		if err := t.send(ctx, r, mark, x); err != nil {
			return 0, err
		}
	}
	if mark == 0 {
		return 0, bad(t.call, ErrGroup, NoRank, "another member has given another group: all members of a group give the same")
	}
	return x, nil
}

// edges are those of the tree: the parent is the place without its lowest bit.
func (t *tree) edges() (parent int, children []int) {
	parent = -1
	if t.rank > 0 {
		parent = t.rank & (t.rank - 1)
	}
	for bit := 1; t.rank&bit == 0 && t.rank+bit < len(t.ranks); bit <<= 1 {
		children = append(children, t.rank+bit)
	}
	return parent, children
}

func (t *tree) send(ctx context.Context, to int, mark uint64, x uint32) error {
	b := binary.LittleEndian.AppendUint64(nil, mark)
	return t.c.pass(ctx, t.call, binary.LittleEndian.AppendUint32(b, x), t.ranks[to], t.tag)
}

func (t *tree) recv(ctx context.Context, from int) (mark uint64, x uint32, err error) {
	b := make([]byte, 12)
	if err := t.c.hear(ctx, t.call, b, t.ranks[from], t.tag); err != nil {
		return 0, 0, err
	}
	return binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint32(b[8:]), nil
}

// internalTag is the bit of tags that users cannot give.
const internalTag = 1 << 31

// pass sends a message of the library itself to a rank in the world.
func (c *Comm) pass(ctx context.Context, call string, b []byte, to int, tag uint32) error {
	d := c.job.dev
	op := device.NewOp()
	if err := d.Send(op, b, to, device.TagOf(device.PointToPoint, c.id, internalTag|tag), 0); err != nil {
		return c.fault(call, c.rankOf(to), err)
	}
	if err := d.Wait(ctx, op); err != nil {
		return c.left(call, op, c.rankOf(to), err)
	}
	return c.fault(call, c.rankOf(to), op.Err)
}

// hear receives one, which is as long as b.
func (c *Comm) hear(ctx context.Context, call string, b []byte, from int, tag uint32) error {
	d := c.job.dev
	op := device.NewOp()
	if err := d.Recv(op, b, from, device.TagOf(device.PointToPoint, c.id, internalTag|tag), 0); err != nil {
		return c.fault(call, c.rankOf(from), err)
	}
	if err := d.Wait(ctx, op); err != nil {
		_, withdrawn, werr := c.withdraw(call, op, 0, err)
		switch {
		case withdrawn && ofContext(err):
			return &Error{Op: call, Class: ErrPending, Rank: c.rankOf(from), Err: err}
		case withdrawn:
			return c.fault(call, c.rankOf(from), err)
		case werr != nil || op.Err != nil:
			return werr
		}
	}
	if op.Err == nil && op.Len != len(b) {
		return bad(call, ErrMismatch, c.rankOf(from), fmt.Sprintf("a message of %d bytes instead of %d: it makes something else", op.Len, len(b)))
	}
	return c.fault(call, c.rankOf(from), op.Err)
}
