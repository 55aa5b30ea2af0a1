package mpi

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/gofabric/gofabric/mpi/internal/device"
)

// meeting is how two groups agree that have no communicator yet: among their leaders, who tell the others.
type meeting struct {
	call   string
	local  *Comm
	leader int
	bridge *Comm // at the leader, as what follows
	remote int   // the other leader's rank in the world
	tag    uint32
	wrong  error
}

// groups gives the world ranks of the other group.
func (m *meeting) groups(ctx context.Context) ([]int, error) {
	var list []byte
	for _, w := range m.local.members() {
		list = binary.LittleEndian.AppendUint32(list, uint32(w))
	}
	n := binary.LittleEndian.AppendUint32(nil, uint32(len(list)/4))
	if err := m.exchange(ctx, n, func(b []byte) error {
		if n := binary.LittleEndian.Uint32(b); n == 0 || int(n) > m.local.job.dev.Size {
			return bad(m.call, ErrGroup, NoRank, fmt.Sprintf("the other leader has %d members", n))
		}
		return nil
	}); err != nil {
		return nil, err
	}
	theirs := make([]byte, 4*max(len(list)/4, int(binary.LittleEndian.Uint32(n))))
	copy(theirs, list)
	if err := m.swap(ctx, theirs, len(list), 4*int(binary.LittleEndian.Uint32(n))); err != nil {
		return nil, err
	}
	return m.check(theirs[:4*binary.LittleEndian.Uint32(n)])
}

// check finds what cannot be the other group.
func (m *meeting) check(list []byte) ([]int, error) {
	all := map[int]bool{}
	for _, w := range m.local.members() {
		all[w] = true
	}
	ranks := make([]int, len(list)/4)
	for i := range ranks {
		w := int(binary.LittleEndian.Uint32(list[4*i:]))
		if w >= m.local.job.dev.Size || all[w] {
			return nil, bad(m.call, ErrGroup, NoRank, fmt.Sprintf("the other group has rank %d of the world, which is also in this one, "+
				"there twice, or nobody", w))
		}
		all[w], ranks[i] = true, w
	}
	return ranks, nil
}

// most gives the largest number of both groups.
func (m *meeting) most(ctx context.Context, x uint32) (uint32, error) {
	x, err := m.local.most(ctx, m.call, x)
	if err != nil {
		return 0, err
	}
	b := binary.LittleEndian.AppendUint32(nil, x)
	if err := m.exchange(ctx, b, nil); err != nil {
		return 0, err
	}
	return max(x, binary.LittleEndian.Uint32(b)), nil
}

func (m *meeting) exchange(ctx context.Context, b []byte, check func([]byte) error) error {
	if err := m.swap(ctx, b, len(b), len(b)); err != nil {
		return err
	}
	if check == nil {
		return nil
	}
	return check(b)
}

// swap sends the first out bytes of b to the other leader and gives everybody the in bytes that come back, or an error.
func (m *meeting) swap(ctx context.Context, b []byte, out, in int) error {
	state := []byte{0}
	if m.local.rank == m.leader {
		if m.wrong == nil {
			m.wrong = m.trade(ctx, b, out, in)
		}
		if m.wrong != nil {
			state[0] = 1
		}
	}
	if err := m.local.spread(ctx, m.call, state, m.leader); err != nil {
		return err
	}
	switch {
	case m.wrong != nil:
		return m.wrong
	case state[0] != 0:
		return bad(m.call, ErrOther, m.leader, "the leader could not reach the other group: its own error says why")
	}
	return m.local.spread(ctx, m.call, b[:in], m.leader)
}

func (m *meeting) trade(ctx context.Context, b []byte, out, in int) error {
	got := make([]byte, in)
	d, tag := m.bridge.job.dev, device.TagOf(device.PointToPoint, m.bridge.id, internalTag|m.tag)
	op := device.NewOp() // both send first
	if err := d.Send(op, slices.Clone(b[:out]), m.remote, tag, 0); err != nil {
		return m.bridge.fault(m.call, NoRank, err)
	}
	if err := m.bridge.hear(ctx, m.call, got, m.remote, m.tag); err != nil {
		return err
	}
	if err := d.Wait(ctx, op); err != nil {
		return m.bridge.left(m.call, op, NoRank, err)
	}
	copy(b, got)
	return m.bridge.fault(m.call, NoRank, op.Err)
}
