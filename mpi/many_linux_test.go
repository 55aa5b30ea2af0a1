package mpi_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/mpi"
)

var many = flag.Bool("many", false, "run the tests with many processes")

// TestManyRanks: everything works among many processes, and what memory each has is said.
func TestManyRanks(t *testing.T) {
	for _, n := range []int{16, 64} {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			if n > 16 && !*many {
				t.Skip("known: many processes were not asked for: go test ./mpi -run TestManyRanks -args -many")
			}
			var out output
			err := mpi.Launch(t.Context(), n, crowd, mpi.LaunchName(strconv.Itoa(n)), mpi.LaunchOutput(&out, &out),
				mpi.LaunchArgs("-test.run=^TestManyRanks$/^"+strconv.Itoa(n)+"$", "-test.count=1", "-test.timeout=5m", "-many"))
			if err != nil {
				t.Fatal(err, out.b.String())
			}
			if !strings.Contains(out.b.String(), "KiB") {
				t.Errorf("no memory in %q", out.b.String())
			}
			t.Log(strings.TrimSpace(out.b.String()))
		})
	}
}

// crowd is what each rank does.
func crowd(ctx context.Context, c *mpi.Comm) error {
	steps := []struct {
		name string
		do   func(context.Context, *mpi.Comm) error
	}{
		{"start", func(ctx context.Context, c *mpi.Comm) error { return c.Barrier(ctx) }},
		{"collectives", crowdCollectives},
		{"vectors", crowdVectors},
		{"messages of all to all", crowdMessages},
		{"window", crowdWindow},
		{"split", crowdSplit},
	}
	for _, s := range steps {
		if err := s.do(ctx, c); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if err := tellMemory(ctx, c, s.name); err != nil {
			return err
		}
	}
	return nil
}

// tellMemory prints at rank 0 what memory a rank has of its own and shares, on average.
func tellMemory(ctx context.Context, c *mpi.Comm, after string) error {
	mine, err := memoryOf()
	if err != nil {
		return err
	}
	sum := make([]int, len(mine))
	if err := mpi.Reduce(ctx, c, mine, sum, mpi.Sum, 0); err != nil || c.Rank() != 0 {
		return err
	}
	fmt.Printf("%d ranks after %s: %d KiB of its own each, %d KiB shared\n", c.Size(), after, sum[0]/c.Size(), sum[1]/c.Size())
	return nil
}

// memoryOf gives the KiB that only this process has in memory, and those that others have, too.
func memoryOf() ([]int, error) {
	text, err := os.ReadFile("/proc/self/smaps_rollup")
	if err != nil {
		return nil, err
	}
	out := make([]int, 2)
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) != 3 {
			continue
		}
		n, err := strconv.Atoi(f[1])
		switch {
		case err != nil:
		case strings.HasPrefix(f[0], "Private_"):
			out[0] += n
		case strings.HasPrefix(f[0], "Shared_"):
			out[1] += n
		}
	}
	return out, nil
}

// same tells what is not as it should be.
func same[T comparable](what string, got, want []T) error {
	if !slices.Equal(got, want) {
		return fmt.Errorf("%s: got %v, want %v", what, got, want)
	}
	return nil
}

// each gives the values of a function of all ranks.
func each(n int, f func(r int) int) []int {
	out := make([]int, n)
	for r := range out {
		out[r] = f(r)
	}
	return out
}

func crowdCollectives(ctx context.Context, c *mpi.Comm) error {
	n, me := c.Size(), c.Rank()
	identity := func(r int) int { return r }
	one, all, sum := []int{me}, make([]int, n), []int{0}
	calls := []struct {
		name      string
		do        func() error
		got, want []int
	}{
		{"bcast", func() error { sum[0] = me; return mpi.Bcast(ctx, c, sum, n-1) }, sum, []int{n - 1}},
		{"allreduce", func() error { return mpi.Allreduce(ctx, c, one, sum, mpi.Sum) }, sum, []int{n * (n - 1) / 2}},
		{"scan", func() error { return mpi.Scan(ctx, c, one, sum, mpi.Sum) }, sum, []int{me * (me + 1) / 2}},
		{"exscan", func() error { sum[0] = 0; return mpi.Exscan(ctx, c, one, sum, mpi.Sum) }, sum, []int{me * (me - 1) / 2}},
		{"allgather", func() error { return mpi.Allgather(ctx, c, one, all) }, all, each(n, identity)},
		{"alltoall", func() error { return mpi.Alltoall(ctx, c, each(n, func(r int) int { return me*n + r }), all) }, all,
			each(n, func(r int) int { return r*n + me })},
		{"reduce_scatter_block", func() error { return mpi.ReduceScatterBlock(ctx, c, each(n, identity), sum, mpi.Sum) }, sum, []int{n * me}},
		{"reduce_scatter", func() error {
			return mpi.ReduceScatter(ctx, c, each(n, identity), sum, each(n, func(int) int { return 1 }), mpi.Sum)
		}, sum, []int{n * me}},
		{"scatter", func() error { return mpi.Scatter(ctx, c, each(n, identity), sum, 3) }, sum, []int{me}},
	}
	for _, x := range calls {
		for range 4 { // by messages and in shared memory
			if err := x.do(); err != nil {
				return fmt.Errorf("%s: %w", x.name, err)
			}
			if err := same(x.name, x.got, x.want); err != nil {
				return err
			}
		}
	}
	for root := 0; root < n; root += n/2 + 1 {
		if err := mpi.Gather(ctx, c, one, all, root); err != nil {
			return err
		}
		if err := mpi.Reduce(ctx, c, one, sum, mpi.Max, root); err != nil {
			return err
		}
		if me == root {
			if err := same("gather and reduce", append(all, sum[0]), append(each(n, identity), n-1)); err != nil {
				return err
			}
		}
	}
	return c.Barrier(ctx)
}

// crowdVectors has operations of parts of different lengths: rank r has r%3 elements.
func crowdVectors(ctx context.Context, c *mpi.Comm) error {
	n, me := c.Size(), c.Rank()
	parts := func() [][]int32 {
		out := make([][]int32, n)
		for r := range out {
			out[r] = make([]int32, r%3)
		}
		return out
	}
	fill := func(p []int32, v int) []int32 {
		for i := range p {
			p[i] = int32(v)
		}
		return p
	}
	mine, all := fill(make([]int32, me%3), me), parts()
	check := func(name string) error {
		for r, p := range all {
			if err := same(name, p, fill(make([]int32, r%3), r)); err != nil {
				return err
			}
		}
		return nil
	}
	if err := mpi.Allgatherv(ctx, c, mine, all); err != nil {
		return err
	}
	if err := check("allgatherv"); err != nil {
		return err
	}
	all = parts()
	if err := mpi.Gatherv(ctx, c, mine, all, 1); err != nil {
		return err
	}
	if me == 1 {
		if err := check("gatherv"); err != nil {
			return err
		}
	}
	back := make([]int32, me%3)
	if err := mpi.Scatterv(ctx, c, all, back, 1); err != nil {
		return err
	}
	if err := same("scatterv", back, mine); err != nil {
		return err
	}
	send := make([][]int32, n) // r gets r%3 elements of everybody
	for r := range send {
		send[r] = fill(make([]int32, r%3), me)
	}
	recv := make([][]int32, n)
	for r := range recv {
		recv[r] = make([]int32, me%3)
	}
	if err := mpi.Alltoallv(ctx, c, send, recv); err != nil {
		return err
	}
	for r, p := range recv {
		if err := same("alltoallv", p, fill(make([]int32, me%3), r)); err != nil {
			return err
		}
	}
	return nil
}

// crowdMessages has every rank send a short and a longer message to every rank.
func crowdMessages(ctx context.Context, c *mpi.Comm) error {
	for _, size := range []int{8, 20_000} {
		var rs []*mpi.Request
		got := make([][]byte, c.Size())
		for r := range got {
			got[r] = make([]byte, size)
			q, err := mpi.Irecv(c, got[r], r, size)
			if err != nil {
				return err
			}
			rs = append(rs, q)
		}
		for r := range got {
			q, err := mpi.Isend(c, bytes.Repeat([]byte{byte(c.Rank() ^ r)}, size), r, size)
			if err != nil {
				return err
			}
			rs = append(rs, q)
		}
		if err := mpi.WaitAll(ctx, rs...); err != nil {
			return err
		}
		for r, p := range got {
			if !bytes.Equal(p, bytes.Repeat([]byte{byte(c.Rank() ^ r)}, size)) {
				return fmt.Errorf("%d bytes of rank %d are wrong", size, r)
			}
		}
	}
	return nil
}

// crowdWindow has everybody put to everybody, and count at rank 0.
func crowdWindow(ctx context.Context, c *mpi.Comm) error {
	n, me := c.Size(), c.Rank()
	w, err := mpi.WinAllocate[int](ctx, c, n+1)
	if err != nil {
		return err
	}
	if err := w.Fence(ctx); err != nil {
		return err
	}
	for r := range n {
		if err := w.Put([]int{me*n + r}, r, me); err != nil {
			return err
		}
	}
	if err := w.Fence(ctx, mpi.NoSucceed); err != nil {
		return err
	}
	if err := same("window", w.Local()[:n], each(n, func(r int) int { return r*n + me })); err != nil {
		return err
	}
	if err := w.LockAll(ctx); err != nil {
		return err
	}
	if _, err := w.FetchAndOp(ctx, me, 0, n, mpi.Sum); err != nil {
		return err
	}
	if err := w.UnlockAll(ctx); err != nil {
		return err
	}
	if err := c.Barrier(ctx); err != nil {
		return err
	}
	if got := w.Local()[n]; me == 0 && got != n*(n-1)/2 {
		return fmt.Errorf("all have counted to %d", got)
	}
	return w.Free(ctx)
}

// crowdSplit has groups of every fourth rank.
func crowdSplit(ctx context.Context, c *mpi.Comm) error {
	d, err := c.Split(ctx, c.Rank()%4, -c.Rank())
	if err != nil {
		return err
	}
	all := make([]int, d.Size())
	if err := mpi.Allgather(ctx, d, []int{c.Rank()}, all); err != nil {
		return err
	}
	if err := same("split", all, each(d.Size(), func(r int) int { return c.Rank()%4 + 4*(d.Size()-1-r) })); err != nil {
		return err
	}
	return d.Close()
}
