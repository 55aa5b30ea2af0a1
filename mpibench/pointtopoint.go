package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/gofabric/gofabric/mpi"
)

const (
	megabyte = 1 << 20

	sizeLatency   = "# Size          Latency (us)"
	sizeBandwidth = "# Size      Bandwidth (MB/s)"
)

var pointToPoint = []benchmark{
	{name: "latency", title: "MPI Latency Test", head: sizeLatency, least: 2, most: 2, max: 4 * megabyte, run: latency},
	{name: "multi_lat", title: "MPI Multi Latency Test", head: sizeLatency, least: 2, max: 4 * megabyte, run: latency},
	{name: "latency_persistent", title: "MPI Persistent Latency Test", head: sizeLatency, least: 2, most: 2, max: 4 * megabyte, run: persistentLatency},
	{name: "bw", title: "MPI Bandwidth Test", head: sizeBandwidth, least: 2, most: 2, min: 1, max: 4 * megabyte, run: bandwidth},
	{name: "bibw", title: "MPI Bi-Directional Bandwidth Test", head: sizeBandwidth, least: 2, most: 2, min: 1, max: 4 * megabyte, run: bothWays},
	{name: "mbw_mr", title: "MPI Multiple Bandwidth / Message Rate Test", least: 2, min: 1, max: 4 * megabyte, run: multiple},
}

// pair gives the other rank of this one's pair, and whether it is the first: the lower half of the ranks talks to the
// upper half. An odd rank has none.
func (e *env) pair() (peer int, first, paired bool) {
	half := e.c.Size() / 2
	switch r := e.c.Rank(); {
	case r < half:
		return r + half, true, true
	case r < 2*half:
		return r - half, false, true
	}
	return 0, false, false
}

// pattern fills a buffer with what a rank sends, when what arrives is checked.
func (e *env) pattern(buf []byte, from int) {
	if e.validate {
		for i := range buf {
			buf[i] = byte(i*7 + from)
		}
	}
}

func (e *env) arrived(buf []byte, from int) error {
	if !e.validate {
		return nil
	}
	for i, b := range buf {
		if b != byte(i*7+from) {
			return fmt.Errorf("byte %d of rank %d's message is %#x", i, from, b)
		}
	}
	return nil
}

// latency is half of a round trip, the mean of all pairs.
func latency(ctx context.Context, e *env) error {
	peer, first, paired := e.pair()
	return e.bySize(func(n, warmup, iterations int) error {
		send, recv := make([]byte, n), make([]byte, n)
		e.pattern(send, e.c.Rank())
		if err := e.c.Barrier(ctx); err != nil {
			return err
		}
		var t time.Duration
		if paired {
			var err error
			t, err = repeat(warmup, iterations, func() error {
				if first {
					if err := mpi.Send(ctx, e.c, send, peer, 1); err != nil {
						return err
					}
				}
				if _, err := mpi.Recv(ctx, e.c, recv, peer, 1); err != nil {
					return err
				}
				if first {
					return nil
				}
				return mpi.Send(ctx, e.c, send, peer, 1)
			})
			if err != nil {
				return err
			}
			if err := e.arrived(recv, peer); err != nil {
				return err
			}
		}
		mean, err := e.mean(ctx, micro(t, 2*iterations), first && paired)
		e.row(n, mean)
		return err
	})
}

func persistentLatency(ctx context.Context, e *env) error {
	peer, first, _ := e.pair()
	return e.bySize(func(n, warmup, iterations int) error {
		send, recv := make([]byte, n), make([]byte, n)
		e.pattern(send, e.c.Rank())
		s, err := mpi.SendInit(e.c, send, peer, 1)
		if err != nil {
			return err
		}
		r, err := mpi.RecvInit(e.c, recv, peer, 1)
		if err != nil {
			return err
		}
		order := []*mpi.Persistent{r, s}
		if first {
			slices.Reverse(order)
		}
		if err := e.c.Barrier(ctx); err != nil {
			return err
		}
		t, err := repeat(warmup, iterations, func() error {
			for _, p := range order {
				if err := p.Start(); err != nil {
					return err
				}
				if _, err := p.Wait(ctx); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		e.row(n, micro(t, 2*iterations))
		return e.arrived(recv, peer)
	})
}

// streamIterations are fewer, since each is a window of messages.
func (e *env) streamIterations(warmup, iterations int) (int, int) {
	if e.iterations == 0 {
		iterations /= 100
	}
	if e.warmup < 0 {
		warmup /= 10
	}
	return warmup, iterations
}

// stream sends windows of messages to a peer, or receives them, with an answer behind each, and gives the time.
func (e *env) stream(ctx context.Context, buf []byte, peer int, sends bool, warmup, iterations int) (time.Duration, error) {
	rs := make([]*mpi.Request, e.window)
	var answer [4]byte
	return repeat(warmup, iterations, func() error {
		for i := range rs {
			var err error
			if sends {
				rs[i], err = mpi.Isend(e.c, buf, peer, 100)
			} else {
				rs[i], err = mpi.Irecv(e.c, buf, peer, 100)
			}
			if err != nil {
				return err
			}
		}
		if err := mpi.WaitAll(ctx, rs...); err != nil {
			return err
		}
		if sends {
			_, err := mpi.Recv(ctx, e.c, answer[:], peer, 101)
			return err
		}
		return mpi.Send(ctx, e.c, answer[:], peer, 101)
	})
}

func bandwidth(ctx context.Context, e *env) error {
	peer, first, _ := e.pair()
	return e.bySize(func(n, warmup, iterations int) error {
		warmup, iterations = e.streamIterations(warmup, iterations)
		buf := make([]byte, n)
		if first {
			e.pattern(buf, 0)
		}
		if err := e.c.Barrier(ctx); err != nil {
			return err
		}
		t, err := e.stream(ctx, buf, peer, first, warmup, iterations)
		if err != nil {
			return err
		}
		e.row(n, float64(n*iterations*e.window)/micro(t, 1))
		if first {
			return nil
		}
		return e.arrived(buf, peer)
	})
}

func bothWays(ctx context.Context, e *env) error {
	peer, _, _ := e.pair()
	return e.bySize(func(n, warmup, iterations int) error {
		warmup, iterations = e.streamIterations(warmup, iterations)
		send, recv := make([]byte, n), make([]byte, n)
		e.pattern(send, e.c.Rank())
		rs := make([]*mpi.Request, 2*e.window)
		if err := e.c.Barrier(ctx); err != nil {
			return err
		}
		t, err := repeat(warmup, iterations, func() error {
			for i := range e.window {
				var err error
				if rs[i], err = mpi.Irecv(e.c, recv, peer, 10); err != nil {
					return err
				}
			}
			for i := range e.window {
				var err error
				if rs[e.window+i], err = mpi.Isend(e.c, send, peer, 10); err != nil {
					return err
				}
			}
			return mpi.WaitAll(ctx, rs...)
		})
		if err != nil {
			return err
		}
		e.row(n, 2*float64(n*iterations*e.window)/micro(t, 1))
		return e.arrived(recv, peer)
	})
}

// multiple is the bandwidth of all pairs together, and their messages a second.
func multiple(ctx context.Context, e *env) error {
	peer, first, paired := e.pair()
	fmt.Fprintf(e.out, "# [ pairs: %d ] [ window size: %d ]\n# Size                  MB/s        Messages/s\n", e.c.Size()/2, e.window)
	return e.bySize(func(n, warmup, iterations int) error {
		warmup, iterations = e.streamIterations(warmup, iterations)
		buf := make([]byte, n)
		if err := e.c.Barrier(ctx); err != nil {
			return err
		}
		var t time.Duration
		if paired {
			var err error
			if t, err = e.stream(ctx, buf, peer, first, warmup, iterations); err != nil {
				return err
			}
		}
		var rate float64
		if paired && first {
			rate = float64(iterations*e.window) / t.Seconds()
		}
		total, err := e.sum(ctx, rate)
		fmt.Fprintf(e.out, "%-10d%18.2f%18.2f\n", n, total*float64(n)/1e6, total)
		return err
	})
}
