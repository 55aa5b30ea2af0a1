package mpi

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/gofabric/gofabric/internal/coll"
)

// Split makes a communicator for each color out of the members that give it, in the order of their keys and, of equal keys,
// of their ranks here (MPI_Comm_split; MPI 4.1, 7.4.2). A member with the color [Undefined] gets nil. Collective. Of an
// intercommunicator it makes intercommunicators, of the members of both groups with the color; nil where one group has none.
//
// Errors: ErrArg, at all members, when the color of one is negative; ErrComm, ErrClosed; ErrProcFailed; ctx's.
func (c *Comm) Split(ctx context.Context, color, key int) (*Comm, error) {
	return c.split(ctx, "Split", color, key)
}

// place is where a member wants to go.
type place struct{ color, key, rank int }

func (c *Comm) split(ctx context.Context, call string, color, key int) (*Comm, error) {
	if err := c.usable(call); err != nil {
		return nil, err
	}
	if c.inter != nil {
		return c.splitInter(ctx, call, color, key)
	}
	places, err := c.places(ctx, call, color, key)
	if err != nil {
		return nil, err
	}
	id, err := c.agree(ctx, call) // one for all colors: nobody is in two of them
	if err != nil || color == Undefined {
		return nil, err
	}
	return c.job.newComm(id, c.chosen(places, color)), nil
}

// places gives what all members want.
func (c *Comm) places(ctx context.Context, call string, color, key int) ([]place, error) {
	mine := binary.LittleEndian.AppendUint64(nil, uint64(color))
	mine = binary.LittleEndian.AppendUint64(mine, uint64(key))
	all, err := c.shareBytes(ctx, call, mine)
	if err != nil {
		return nil, err
	}
	places := make([]place, c.size)
	for r, b := range all {
		places[r] = place{int(int64(binary.LittleEndian.Uint64(b))), int(int64(binary.LittleEndian.Uint64(b[8:]))), r}
		if p := places[r]; p.color < 0 && p.color != Undefined {
			return nil, bad(call, ErrArg, r, fmt.Sprintf("color %d: give one that is not negative, or Undefined", p.color))
		}
	}
	return places, nil
}

// chosen gives the world ranks of those with a color, in order.
func (c *Comm) chosen(places []place, color int) []int {
	places = slices.DeleteFunc(slices.Clone(places), func(p place) bool { return p.color != color })
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(a.key, b.key) })
	members := c.members()
	ranks := make([]int, len(places))
	for i, p := range places {
		ranks[i] = members[p.rank]
	}
	return ranks
}

// spread gives everybody the root's bytes, for the library itself.
func (c *Comm) spread(ctx context.Context, call string, b []byte, root int) error {
	k := collective{call: call, form: internal, args: coll.Args{Coll: coll.Broadcast, Count: len(b), Size: 1, Root: root}, out: b}
	if c.rank == root {
		k.in, k.out = b, nil
	}
	return c.do(ctx, &k)
}

// shareBytes gives every member's bytes, which have one length, for the library itself.
func (c *Comm) shareBytes(ctx context.Context, call string, mine []byte) ([][]byte, error) {
	all := make([]byte, len(mine)*c.size)
	err := c.do(ctx, &collective{
		call: call, form: internal, args: coll.Args{Coll: coll.Allgather, Count: len(mine), Size: 1}, in: mine, out: all,
	})
	if err != nil {
		return nil, err
	}
	parts := make([][]byte, c.size)
	for r := range parts {
		parts[r] = all[r*len(mine) : (r+1)*len(mine)]
	}
	return parts, nil
}
