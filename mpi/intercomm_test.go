package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/gofabric/gofabric/mpi"
)

// bridged splits the world into its first members and the others, and makes an intercommunicator of both. The leaders are
// the last ones.
func bridged(ctx context.Context, world *mpi.Comm, first int) (c, local *mpi.Comm, err error) {
	n, color := world.Size(), 0
	if world.Rank() >= first {
		color = 1
	}
	if local, err = world.Split(ctx, color, 0); err != nil {
		return nil, nil, err
	}
	remote := n - 1
	if color == 1 {
		remote = first - 1
	}
	c, err = mpi.IntercommCreate(ctx, local, local.Size()-1, world, remote, 5)
	return c, local, err
}

func TestIntercomm(t *testing.T) {
	const n, first = 5, 2
	groups := [2][]int{{0, 1}, {2, 3, 4}}
	run(t, n, func(ctx context.Context, world *mpi.Comm) error {
		c, _, err := bridged(ctx, world, first)
		if err != nil {
			return err
		}
		d, err := c.Dup(ctx)
		if err != nil {
			return err
		}
		mine, other := groups[0], groups[1]
		if world.Rank() >= first {
			mine, other = other, mine
		}
		for _, c := range []*mpi.Comm{c, d} {
			if !c.IsInter() || world.IsInter() || c.Size() != len(mine) || c.RemoteSize() != len(other) || world.RemoteSize() != 0 ||
				!slices.Equal(c.Group().Ranks(), mine) || !slices.Equal(c.RemoteGroup().Ranks(), other) || mine[c.Rank()] != world.Rank() {
				return fmt.Errorf("%v and %v", c.Group(), c.RemoteGroup())
			}
			// All talk to all of the other group, from anybody.
			for r := range other {
				if _, err := mpi.Isend(c, []int{world.Rank()}, r, 1); err != nil {
					return err
				}
			}
			for range other {
				got := make([]int, 1)
				st, err := mpi.Recv(ctx, c, got, mpi.AnySource, 1)
				if err != nil {
					return err
				}
				if other[st.Source] != got[0] {
					return fmt.Errorf("%d came from %d", got[0], st.Source)
				}
			}
			if err := mpi.Send(ctx, c, []int{1}, len(other), 1); !errors.Is(err, mpi.ErrRank) {
				return fmt.Errorf("to nobody: %w", err)
			}
		}
		if cmp, err := c.Compare(d); err != nil || cmp != mpi.Congruent {
			return fmt.Errorf("%v: %w", cmp, err)
		}
		if cmp, err := c.Compare(world); err != nil || cmp != mpi.Unequal {
			return fmt.Errorf("%v: %w", cmp, err)
		}
		want := []int{2, 3, 4, 0, 1}
		m, err := c.Merge(ctx, world.Rank() < first)
		if err != nil {
			return err
		}
		if err := works(ctx, world, m, want); err != nil {
			return err
		}
		if m, err = d.Merge(ctx, world.Rank() >= first); err != nil {
			return err
		}
		if err := works(ctx, world, m, []int{0, 1, 2, 3, 4}); err != nil {
			return err
		}
		if _, err := c.Merge(ctx, world.Rank()%2 == 0); !errors.Is(err, mpi.ErrArg) {
			return fmt.Errorf("merge of which nobody knows the order: %w", err)
		}
		// A pair of each: 0 with 2, and 1 with 3; 4 is alone.
		color := (c.Rank()) % 3
		s, err := c.Split(ctx, color, 0)
		if err != nil {
			return err
		}
		if world.Rank() == 4 {
			if s != nil {
				return errors.New("an intercommunicator with nobody")
			}
		} else if s.Size() != 1 || s.RemoteSize() != 1 || s.RemoteGroup().World(0) != (world.Rank()+2)%4 {
			return fmt.Errorf("%v and %v", s.Group(), s.RemoteGroup())
		} else if err := s.Barrier(ctx); err != nil {
			return err
		}
		if err := errors.Join(c.Close(), c.Close()); err != nil {
			return err
		}
		if err := c.Barrier(ctx); !errors.Is(err, mpi.ErrComm) {
			return fmt.Errorf("closed: %w", err)
		}
		return nil
	})
}

func TestIntercommRefusals(t *testing.T) {
	run(t, 4, func(ctx context.Context, world *mpi.Comm) error {
		if _, err := mpi.IntercommCreate(ctx, world, 4, world, 1, 0); !errors.Is(err, mpi.ErrRank) {
			return fmt.Errorf("leader: %w", err)
		}
		_, err := mpi.IntercommCreate(ctx, world, 0, world, 9, 0)
		want := mpi.ErrOther // the leader knows more
		if world.Rank() == 0 {
			want = mpi.ErrRank
		}
		if !errors.Is(err, want) {
			return fmt.Errorf("remote leader: %w", err)
		}
		half, err := world.Split(ctx, world.Rank()/2, 0)
		if err != nil {
			return err
		}
		// Both sides give groups with the same members.
		local, leader, remote := world, 0, 2
		if world.Rank() > 1 {
			local, leader, remote = half, 0, 0
		}
		if world.Rank() < 2 {
			local, leader, remote = half, 0, 1
		}
		if world.Rank() == 0 {
			remote = 0 // itself
		}
		if world.Rank() < 2 {
			_, err = mpi.IntercommCreate(ctx, local, leader, world, remote, 1)
			if world.Rank() == 0 && !errors.Is(err, mpi.ErrRank) || err == nil {
				return fmt.Errorf("itself: %w", err)
			}
		}
		if _, err := world.Merge(ctx, true); !errors.Is(err, mpi.ErrComm) {
			return fmt.Errorf("merge: %w", err)
		}
		c, _, err := bridged(ctx, world, 1)
		if err != nil {
			return err
		}
		if _, err := mpi.IntercommCreate(ctx, c, 0, world, 0, 0); !errors.Is(err, mpi.ErrComm) {
			return fmt.Errorf("of one: %w", err)
		}
		if _, err := c.Create(ctx, c.Group()); !errors.Is(err, mpi.ErrComm) {
			return fmt.Errorf("create: %w", err)
		}
		if _, err := mpi.WinAllocate[int](ctx, c, 1); !errors.Is(err, mpi.ErrComm) {
			return fmt.Errorf("window: %w", err)
		}
		if _, err := mpi.BcastValue(ctx, c, 1, 0); !errors.Is(err, mpi.ErrComm) {
			return fmt.Errorf("value: %w", err)
		}
		if err := mpi.Scan(ctx, c, []int{1}, []int{1}, mpi.Sum); !errors.Is(err, mpi.ErrComm) {
			return fmt.Errorf("scan: %w", err)
		}
		return nil
	})
}

// Every collective operation between groups of 2 and 3, in both directions.
func TestIntercommCollectives(t *testing.T) {
	const first = 2
	run(t, 5, func(ctx context.Context, world *mpi.Comm) error {
		c, _, err := bridged(ctx, world, first)
		if err != nil {
			return err
		}
		other := c.RemoteGroup().Ranks()
		w := world.Rank()
		pair := func(of int) []int { return []int{of, 100 + of} }
		var all []int // what the other group's members have
		sum := []int{0, 0}
		for _, r := range other {
			all = append(all, pair(r)...)
			sum[0], sum[1] = sum[0]+r, sum[1]+100+r
		}
		got := make([]int, len(all))
		if err := errors.Join(c.Barrier(ctx), mpi.Allgather(ctx, c, pair(w), got), eq("allgather", got, all)); err != nil {
			return err
		}
		// What the groups give each other may differ in length.
		slots := make([][]int, len(other))
		for i, r := range other {
			slots[i] = make([]int, r)
		}
		if err := mpi.Allgatherv(ctx, c, slices.Repeat([]int{w}, w), slots); err != nil {
			return err
		}
		for i, r := range other {
			if err := eq("allgatherv", slots[i], slices.Repeat([]int{r}, r)); err != nil {
				return err
			}
		}
		send := make([]int, len(other))
		want := make([]int, len(other))
		for i, r := range other {
			send[i], want[i] = 10*w+r, 10*r+w
		}
		got = make([]int, len(other))
		if err := errors.Join(mpi.Alltoall(ctx, c, send, got), eq("alltoall", got, want)); err != nil {
			return err
		}
		parts, rooms := make([][]int, len(other)), make([][]int, len(other))
		for i, r := range other {
			parts[i], rooms[i] = slices.Repeat([]int{w}, r), make([]int, w)
		}
		if err := mpi.Alltoallv(ctx, c, parts, rooms); err != nil {
			return err
		}
		for i, r := range other {
			if err := eq("alltoallv", rooms[i], slices.Repeat([]int{r}, w)); err != nil {
				return err
			}
		}
		got = []int{0, 0}
		if err := errors.Join(mpi.Allreduce(ctx, c, pair(w), got, mpi.Sum), eq("allreduce", got, sum)); err != nil {
			return err
		}
		six := []int{0, 1, 2, 3, 4, 5}
		mine := make([]int, 6/c.Size())
		want = make([]int, len(mine))
		for i := range want {
			want[i] = len(other) * (c.Rank()*len(mine) + i)
		}
		if err := errors.Join(mpi.ReduceScatterBlock(ctx, c, six, mine, mpi.Sum), eq("reduce_scatter_block", mine, want)); err != nil {
			return err
		}
		for root := range 5 { // by its rank in the world
			if err := rooted(ctx, c, world, root); err != nil {
				return fmt.Errorf("root %d: %w", root, err)
			}
		}
		// The other forms.
		r, err := c.Ibarrier()
		if err != nil {
			return err
		}
		got = make([]int, len(all))
		p, err := mpi.AllgatherInit(c, pair(w), got)
		if err != nil {
			return err
		}
		if _, err := r.Wait(ctx); err != nil {
			return err
		}
		for range 3 {
			clear(got)
			if err := p.Start(); err != nil {
				return err
			}
			if _, err := p.Wait(ctx); err != nil {
				return err
			}
			if err := eq("persistent", got, all); err != nil {
				return err
			}
		}
		return nil
	})
}

// rooted does the operations with a root, given by its rank in the world.
func rooted(ctx context.Context, c, world *mpi.Comm, root int) error {
	role := c.RemoteGroup().RankOf(root)
	if role == mpi.Undefined {
		role = mpi.ProcNull
	}
	if world.Rank() == root {
		role = mpi.Root
	}
	other := c.RemoteGroup().Ranks()
	buf := []int{-1}
	if role == mpi.Root {
		buf[0] = root
	}
	if err := mpi.Bcast(ctx, c, buf, role); err != nil {
		return err
	}
	if want := map[bool]int{true: -1, false: root}[role == mpi.ProcNull]; buf[0] != want {
		return fmt.Errorf("bcast: %d, want %d", buf[0], want)
	}
	all, sum := []int(nil), []int{0}
	for _, r := range other {
		all = append(all, r)
		sum[0] += r
	}
	got := make([]int, len(other))
	if err := mpi.Gather(ctx, c, []int{world.Rank()}, got, role); err != nil {
		return err
	}
	if role == mpi.Root {
		if err := eq("gather", got, all); err != nil {
			return err
		}
	}
	got = []int{-1}
	if err := mpi.Scatter(ctx, c, all, got, role); err != nil {
		return err
	}
	if role >= 0 && got[0] != world.Rank() {
		return fmt.Errorf("scatter: %d", got[0])
	}
	slots := make([][]int, len(other))
	for i, r := range other {
		slots[i] = make([]int, r)
	}
	if err := mpi.Gatherv(ctx, c, slices.Repeat([]int{world.Rank()}, world.Rank()), slots, role); err != nil {
		return err
	}
	if role == mpi.Root {
		for i, r := range other {
			if err := eq("gatherv", slots[i], slices.Repeat([]int{r}, r)); err != nil {
				return err
			}
		}
	}
	mine := make([]int, world.Rank())
	for i, r := range other {
		slots[i] = slices.Repeat([]int{r}, r)
	}
	if err := mpi.Scatterv(ctx, c, slots, mine, role); err != nil {
		return err
	}
	if role >= 0 {
		if err := eq("scatterv", mine, slices.Repeat([]int{world.Rank()}, world.Rank())); err != nil {
			return err
		}
	}
	got = []int{0}
	if err := mpi.Reduce(ctx, c, []int{world.Rank()}, got, mpi.Sum, role); err != nil {
		return err
	}
	if role == mpi.Root {
		return eq("reduce", got, sum)
	}
	return nil
}

// Members that give different counts, or roots that nobody is, learn of it.
func TestIntercommMismatch(t *testing.T) {
	run(t, 4, func(ctx context.Context, world *mpi.Comm) error {
		c, _, err := bridged(ctx, world, 2)
		if err != nil {
			return err
		}
		role := mpi.ProcNull
		if world.Rank() == 0 {
			role = mpi.Root
		} else if world.Rank() > 1 {
			role = 0
		}
		err = mpi.Bcast(ctx, c, make([]int, 1+world.Rank()/2), role)
		if world.Rank() > 1 && !errors.Is(err, mpi.ErrMismatch) || world.Rank() < 2 && err != nil {
			return fmt.Errorf("counts: %w", err)
		}
		return nil
	})
}
