package mpi_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gofabric/gofabric/mpi"
)

// works checks that a communicator has these world ranks, and that messages and collectives go through it. Each world rank
// calls it for the communicators that it is in.
func works(ctx context.Context, world, c *mpi.Comm, want []int) error {
	if got := c.Group().Ranks(); !slices.Equal(got, want) {
		return fmt.Errorf("members %v, want %v", got, want)
	}
	if c.Size() != len(want) || want[c.Rank()] != world.Rank() {
		return fmt.Errorf("rank %d of %d, want %v", c.Rank(), c.Size(), want)
	}
	all := make([]int, c.Size())
	if err := mpi.Allgather(ctx, c, []int{world.Rank()}, all); err != nil {
		return err
	}
	if err := eq("allgather", all, want); err != nil {
		return err
	}
	next, last := (c.Rank()+1)%c.Size(), (c.Rank()+c.Size()-1)%c.Size()
	got := make([]int, 1)
	st, err := mpi.SendRecv(ctx, c, []int{world.Rank()}, next, 3, got, last, 3)
	if err != nil {
		return err
	}
	if st.Source != last || got[0] != want[last] {
		return fmt.Errorf("got %d of %d, want %d of %d", got[0], st.Source, want[last], last)
	}
	return nil
}

// Random splits against a model: all members know what all want, since they have the same seed.
func TestSplit(t *testing.T) {
	const n = 7
	run(t, n, func(ctx context.Context, world *mpi.Comm) error {
		for seed := range uint64(10) {
			r := rand.New(rand.NewPCG(seed, 1))
			type want struct{ rank, color, key int }
			var wants []want
			for rank := range n {
				w := want{rank, r.IntN(4), r.IntN(5) - 2}
				if w.color == 3 {
					w.color = mpi.Undefined
				}
				wants = append(wants, w)
			}
			mine := wants[world.Rank()]
			c, err := world.Split(ctx, mine.color, mine.key)
			if err != nil {
				return err
			}
			if mine.color == mpi.Undefined {
				if c != nil {
					return errors.New("a communicator for Undefined")
				}
				continue
			}
			wants = slices.DeleteFunc(wants, func(w want) bool { return w.color != mine.color })
			slices.SortStableFunc(wants, func(a, b want) int { return cmp.Compare(a.key, b.key) })
			var ranks []int
			for _, w := range wants {
				ranks = append(ranks, w.rank)
			}
			if err := works(ctx, world, c, ranks); err != nil {
				return fmt.Errorf("seed %d: %w", seed, err)
			}
			if err := c.Close(); err != nil {
				return err
			}
		}
		return nil
	})
}

// Random groups, by both ways of making communicators of them. CreateGroup of one half goes on while the other half does
// something else.
func TestCreate(t *testing.T) {
	const n = 8
	run(t, n, func(ctx context.Context, world *mpi.Comm) error {
		all := world.Group()
		for seed := range uint64(10) {
			r := rand.New(rand.NewPCG(seed, 2))
			ranks := r.Perm(n)
			at := r.IntN(n-1) + 1
			g, err := all.Incl(ranks[:at]...)
			if err != nil {
				return err
			}
			in := g.Rank() != mpi.Undefined
			c, err := world.Create(ctx, g)
			if err != nil || (c != nil) != in {
				return fmt.Errorf("%v in %v: %w", c, g, err)
			}
			if in {
				if err := works(ctx, world, c, ranks[:at]); err != nil {
					return err
				}
			}
			part := ranks[:at]
			if !in {
				if g, err = all.Incl(ranks[at:]...); err != nil {
					return err
				}
				part = ranks[at:]
			}
			if c, err = world.CreateGroup(ctx, g, int(seed)); err != nil {
				return err
			}
			if err := works(ctx, world, c, part); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestCreateRefusals(t *testing.T) {
	run(t, 3, func(ctx context.Context, world *mpi.Comm) error {
		two, err := world.Split(ctx, min(world.Rank(), 1), 0) // 0; 1 and 2
		if err != nil {
			return err
		}
		want := func(what string, err error, class mpi.Class) error {
			if !errors.Is(err, class) {
				return fmt.Errorf("%s: %w, want %w", what, err, class)
			}
			return nil
		}
		if world.Rank() > 0 {
			if _, err := two.Create(ctx, world.Group()); want("strangers", err, mpi.ErrGroup) != nil {
				return want("strangers", err, mpi.ErrGroup)
			}
			g := two.Group()
			if world.Rank() == 2 { // two different groups with a member in common
				g = world.Group()
			}
			if _, err := two.Create(ctx, g); want("one has strangers", err, mpi.ErrGroup) != nil {
				return want("one has strangers", err, mpi.ErrGroup)
			}
			if g, err = two.Group().Incl(1, 0); err != nil {
				return err
			}
			if world.Rank() == 2 {
				g = two.Group()
			}
			if _, err := two.CreateGroup(ctx, g, 1); want("not the same group", err, mpi.ErrGroup) != nil {
				return want("not the same group", err, mpi.ErrGroup)
			}
		}
		own, err := world.Group().Incl(0)
		if err != nil {
			return err
		}
		if world.Rank() > 0 { // that of rank 0 is as it should be for itself
			own = world.Group()
		}
		if _, err := world.Create(ctx, own); want("overlapping groups", err, mpi.ErrGroup) != nil {
			return want("overlapping groups", err, mpi.ErrGroup)
		}
		if _, err := world.CreateGroup(ctx, world.Group(), -1); want("tag", err, mpi.ErrTag) != nil {
			return want("tag", err, mpi.ErrTag)
		}
		color := 0
		if world.Rank() == 1 {
			color = -7
		}
		_, err = world.Split(ctx, color, 0)
		var e *mpi.Error
		if !errors.As(err, &e) || e.Class != mpi.ErrArg || e.Rank != 1 {
			return fmt.Errorf("negative color: %w", err)
		}
		if err := two.Close(); err != nil {
			return err
		}
		if _, err := two.Split(ctx, 0, 0); want("closed", err, mpi.ErrComm) != nil {
			return want("closed", err, mpi.ErrComm)
		}
		if _, err := two.Dup(ctx); want("closed", err, mpi.ErrComm) != nil {
			return want("closed", err, mpi.ErrComm)
		}
		return works(ctx, world, world, []int{0, 1, 2})
	})
}

func TestCompare(t *testing.T) {
	run(t, 3, func(ctx context.Context, world *mpi.Comm) error {
		dup, err := world.Dup(ctx)
		if err != nil {
			return err
		}
		back, err := world.Split(ctx, 0, -world.Rank())
		if err != nil {
			return err
		}
		for _, x := range []struct {
			a, b *mpi.Comm
			want mpi.Comparison
		}{{world, world, mpi.Ident}, {world, dup, mpi.Congruent}, {world, back, mpi.Similar}, {world, world.Self(), mpi.Unequal}} {
			if got, err := x.a.Compare(x.b); err != nil || got != x.want {
				return fmt.Errorf("%v, want %v: %w", got, x.want, err)
			}
		}
		if _, err := world.Compare(nil); !errors.Is(err, mpi.ErrComm) {
			return fmt.Errorf("with nil: %w", err)
		}
		return nil
	})
}

func TestSplitHost(t *testing.T) {
	for _, x := range []struct {
		names []string
		want  []int
	}{{[]string{"", "", ""}, []int{0, 0, 0}}, {[]string{"one", "two", "one"}, []int{0, 1, 0}}} {
		run(t, 3, func(ctx context.Context, world *mpi.Comm) error {
			c, err := world.SplitHost(ctx)
			if err != nil {
				return err
			}
			var ranks []int
			for r, h := range x.want {
				if h == x.want[world.Rank()] {
					ranks = append(ranks, r)
				}
				if got, err := world.HostOf(r); err != nil || got != h {
					return fmt.Errorf("rank %d is on host %d, want %d: %w", r, got, h, err)
				}
			}
			if _, err := world.HostOf(3); !errors.Is(err, mpi.ErrRank) {
				return fmt.Errorf("rank 3: %w", err)
			}
			return works(ctx, world, c, ranks)
		}, mpi.WithHostNames(x.names...))
	}
	got, err := mpi.HostNumbers([]string{"a", "a", "b", "b"}, []int{5, 6, 5, 5})
	if err != nil || !slices.Equal(got, []int{0, 1, 2, 2}) {
		t.Error(got, err)
	}
}

func TestNameAndInfo(t *testing.T) {
	run(t, 2, func(ctx context.Context, world *mpi.Comm) error {
		var info mpi.Info
		if err := errors.Join(info.Set("b", "1"), info.Set("a", "2"), info.Set("b", "3")); err != nil {
			return err
		}
		if err := info.Set("", ""); !errors.Is(err, mpi.ErrArg) {
			return fmt.Errorf("an empty key: %w", err)
		}
		c, err := world.DupWithInfo(ctx, &info)
		if err != nil {
			return err
		}
		info.Delete("b")
		var all []string
		for k, v := range c.Info().All() {
			all = append(all, k+"="+v)
		}
		if err := eq("info", all, []string{"b=3", "a=2"}); err != nil {
			return err
		}
		d, err := c.Dup(ctx)
		if err != nil {
			return err
		}
		c.SetName("two")
		if n := []string{world.Name(), world.Self().Name(), c.Name(), d.Name()}; !slices.Equal(n, []string{"world", "self", "two", ""}) {
			return fmt.Errorf("names %q", n)
		}
		if d.Info().Len() != 0 || info.Len() != 1 {
			return errors.New("a duplicate has hints")
		}
		return nil
	})
}

func TestAttributes(t *testing.T) {
	run(t, 2, func(ctx context.Context, world *mpi.Comm) error {
		var gone []int
		refuse := errors.New("no")
		del := func(_ *mpi.Comm, v int) error {
			if v == 13 {
				return refuse
			}
			gone = append(gone, v)
			return nil
		}
		plain := mpi.NewKey(nil, del)
		kept := mpi.NewKey(mpi.CopyAttribute[int], del)
		more := mpi.NewKey(func(_ *mpi.Comm, v int) (int, bool, error) {
			if v == 99 {
				return 0, false, refuse
			}
			return v + 1, v > 0, nil
		}, del)
		c, err := world.Dup(ctx)
		if err != nil {
			return err
		}
		if err := errors.Join(plain.Set(c, 1), kept.Set(c, 2), more.Set(c, 3)); err != nil {
			return err
		}
		d, err := c.Dup(ctx)
		if err != nil {
			return err
		}
		_, p := plain.Get(d)
		k, kOK := kept.Get(d)
		m, mOK := more.Get(d)
		if p || k != 2 || !kOK || m != 4 || !mOK {
			return fmt.Errorf("copied %v, %d, %d", p, k, m)
		}
		if err := errors.Join(kept.Delete(d), kept.Delete(d), more.Set(d, 13)); err != nil {
			return err
		}
		if err := more.Set(d, 14); !errors.Is(err, refuse) {
			return fmt.Errorf("replaced: %w", err)
		}
		if err := d.Close(); !errors.Is(err, refuse) {
			return fmt.Errorf("closed: %w", err)
		}
		if err := more.Set(d, 1); !errors.Is(err, mpi.ErrComm) {
			return fmt.Errorf("set after Close: %w", err)
		}
		if err := c.Close(); err != nil {
			return err
		}
		if err := eq("deleted", gone, []int{2, 4, 3, 2, 1}); err != nil {
			return err
		}
		if err := more.Set(world, 99); err != nil {
			return err
		}
		if _, err := world.Dup(ctx); !errors.Is(err, refuse) {
			return fmt.Errorf("dup: %w", err)
		}
		if world.UniverseSize() != 2 || world.TagUB() != mpi.MaxTag || world.AppNum() > 0 || mpi.Wtime() < 0 || mpi.Wtick() <= 0 {
			return errors.New("predefined attributes")
		}
		return nil
	})
}

// Errors name the call that the program has made, not one that it is made of.
func TestErrorsNameTheCall(t *testing.T) {
	run(t, 2, func(ctx context.Context, world *mpi.Comm) error {
		for _, call := range []struct {
			name string
			do   func(ctx context.Context, c *mpi.Comm) error
		}{
			{"Dup", func(ctx context.Context, c *mpi.Comm) error { _, err := c.Dup(ctx); return err }},
			{"WinAllocate", func(ctx context.Context, c *mpi.Comm) error { _, err := mpi.WinAllocate[int](ctx, c, 1); return err }},
		} {
			c, err := world.Dup(ctx)
			if err != nil {
				return err
			}
			if world.Rank() == 0 {
				ended, cancel := context.WithCancel(ctx)
				cancel()
				var e *mpi.Error
				if err := call.do(ended, c); !errors.As(err, &e) || e.Op != call.name || !errors.Is(err, context.Canceled) {
					return fmt.Errorf("%s: %w", call.name, err)
				}
			}
		}
		return nil
	})
}
