package main

import (
	"context"
	"fmt"

	"github.com/gofabric/gofabric/mpi"
)

// suite prints the rows of docs/perf/mpi/peer.c, which is built with other MPIs, measured in the same way: one operation
// behind the other, "name bytes ranks value unit".
var suite = []benchmark{{name: "suite", title: "rows that are compared with other MPIs", least: 2, bare: true, run: runSuite}}

func (e *env) suiteRow(name string, n int, v float64, unit string) {
	fmt.Fprintf(e.out, "%s %d %d %.4f %s\n", name, n, e.c.Size(), v, unit)
}

func runSuite(ctx context.Context, e *env) error {
	var steps []func(context.Context) error
	if e.c.Size() == 2 {
		sizes := []int{1, 8, 64, 1024, 8192, 65536, megabyte, 4 * megabyte}
		buf := make([]byte, sizes[len(sizes)-1])
		for _, n := range sizes {
			steps = append(steps, func(ctx context.Context) error { return e.suiteLatency(ctx, buf[:n]) })
		}
		for _, n := range sizes {
			steps = append(steps, func(ctx context.Context) error { return e.suiteStream(ctx, buf[:n]) })
		}
		steps = append(steps, e.suiteWindows)
	}
	steps = append(steps, e.suiteBarrier,
		func(ctx context.Context) error { return e.suiteAllreduce(ctx, 8) },
		func(ctx context.Context) error { return e.suiteAllreduce(ctx, megabyte) })
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

func suiteIterations(n int) int {
	switch {
	case n <= 1024:
		return 20_000
	case n <= 8192:
		return 10_000
	case n <= 65536:
		return 3000
	case n <= megabyte:
		return 400
	}
	return 100
}

func (e *env) suiteLatency(ctx context.Context, buf []byte) error {
	iterations := suiteIterations(len(buf))
	if err := e.c.Barrier(ctx); err != nil {
		return err
	}
	peer, first := 1-e.c.Rank(), e.c.Rank() == 0
	t, err := repeat(iterations/10, iterations, func() error {
		if first {
			if err := mpi.Send(ctx, e.c, buf, peer, 1); err != nil {
				return err
			}
		}
		if _, err := mpi.Recv(ctx, e.c, buf, peer, 1); err != nil {
			return err
		}
		if first {
			return nil
		}
		return mpi.Send(ctx, e.c, buf, peer, 1)
	})
	e.suiteRow("latency", len(buf), micro(t, 2*iterations), "us")
	return err
}

func (e *env) suiteStream(ctx context.Context, buf []byte) error {
	windows := suiteIterations(len(buf))/20 + 2
	e.window = 64
	if err := e.c.Barrier(ctx); err != nil {
		return err
	}
	t, err := e.stream(ctx, buf, 1-e.c.Rank(), e.c.Rank() == 0, 1, windows)
	if err != nil {
		return err
	}
	messages := float64(e.window * windows)
	e.suiteRow("stream", len(buf), messages*float64(len(buf))/micro(t, 1), "MB/s")
	e.suiteRow("msgrate", len(buf), messages/micro(t, 1), "Mmsg/s")
	return nil
}

func (e *env) suiteBarrier(ctx context.Context) error {
	iterations := 5000
	if e.c.Size() > 2 {
		iterations = 300
	}
	t, err := repeat(1, iterations, func() error { return e.c.Barrier(ctx) })
	e.suiteRow("barrier", 0, micro(t, iterations), "us")
	return err
}

func (e *env) suiteAllreduce(ctx context.Context, n int) error {
	iterations := 2000
	if n > 1024 {
		iterations = 60
	}
	if e.c.Size() > 2 {
		iterations /= 4
	}
	a, b := make([]float64, n/8), make([]float64, n/8)
	if err := e.c.Barrier(ctx); err != nil {
		return err
	}
	t, err := repeat(2, iterations, func() error { return mpi.Allreduce(ctx, e.c, a, b, mpi.Sum) })
	e.suiteRow("allreduce", n, micro(t, iterations), "us")
	return err
}

func (e *env) suiteWindows(ctx context.Context) error {
	w, err := mpi.WinAllocate[byte](ctx, e.c, 65536)
	if err != nil {
		return err
	}
	for _, n := range []int{8, 4096} {
		buf := make([]byte, n)
		do := func() error { return w.Put(buf, 1, 0) }
		for _, s := range []struct {
			name, sync string
			iterations int
		}{{"lock-put-unlock", "lock", 5000}, {"put-flush", "flush", 5000}, {"put-fence", "fence", 2000}} {
			e.sync = s.sync
			t, err := epochs(ctx, e, w, 10, s.iterations, do)
			if err != nil {
				return err
			}
			e.suiteRow(s.name, n, t/float64(s.iterations), "us")
		}
	}
	if err := w.Free(ctx); err != nil {
		return err
	}
	v, err := mpi.WinAllocate[int64](ctx, e.c, 1)
	if err != nil {
		return err
	}
	const iterations = 5000
	e.sync = "flush"
	for _, s := range []struct {
		name string
		do   func() error
	}{
		{"fetch-and-op", func() error { return fetchAndOp(ctx, v, 0) }},
		{"compare-and-swap", func() error { return compareAndSwap(ctx, v, 0) }},
	} {
		t, err := epochs(ctx, e, v, 10, iterations, s.do)
		if err != nil {
			return err
		}
		e.suiteRow(s.name, 8, t/iterations, "us")
	}
	return v.Free(ctx)
}
