package figures

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/gofabric/gofabric/fabtests/internal/perf"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
)

// Tags of the group.
const (
	tagBarrier = 1 << 40
	tagPair    = 2 << 40
	tagResult  = 3 << 40
)

// runBarrier runs barriers and ping-pongs among processes that all poll, more of them than there are processors.
func runBarrier(env *scenario.Env) error {
	g, err := session.OpenGroup(env, session.Need{Caps: fi.CapTagged | fi.CapCollective, Size: session.CtrlSize})
	if err != nil {
		return err
	}
	defer g.Close() //nolint:errcheck // closed below when all went well
	n := env.Opt.Iterations
	if n == 0 {
		n = 2000
	}
	if _, err := barriers(g, n/10+1); err != nil {
		return err
	}
	took, err := barriers(g, n)
	if err != nil {
		return err
	}
	if g.Rank == 0 {
		env.Report.Row(perf.Row{Name: fmt.Sprintf("barrier of %d", g.Size), Value: took, Unit: "us"})
	}
	coll, err := collectiveBarriers(g, n)
	if err != nil {
		return err
	}
	if g.Rank == 0 {
		env.Report.Row(perf.Row{Name: fmt.Sprintf("fi_barrier of %d", g.Size), Value: coll, Unit: "us"})
	}
	for a := range g.Size {
		for b := a + 1; b < g.Size; b++ {
			took, err := pair(g, a, b, n)
			if err != nil {
				return err
			}
			if g.Rank == 0 {
				env.Report.Row(perf.Row{Name: fmt.Sprintf("ping-pong of %d and %d, the others poll, one way", a, b), Value: took, Unit: "us"})
				if g.Size == 2 {
					env.Report.Row(perf.Row{Name: "fi_barrier of 2, in messages one way", Value: coll / took, Unit: "x"})
				}
			}
		}
	}
	if _, err := barriers(g, 1); err != nil {
		return err
	}
	return g.Close()
}

// barriers runs n barriers by dissemination: in each round everybody tells somebody twice as far away as in the last one,
// and after the logarithm of their number everybody has heard, directly or not, of everybody. It gives the time of one
// in microseconds.
func barriers(g *session.Group, n int) (float64, error) {
	began := time.Now()
	for range n {
		for far, round := 1, uint64(0); far < g.Size; far, round = 2*far, round+1 {
			if err := g.Send((g.Rank+far)%g.Size, tagBarrier+round<<20, 8); err != nil {
				return 0, err
			}
			if err := g.Receive((g.Rank+g.Size-far)%g.Size, tagBarrier+round<<20, 8); err != nil {
				return 0, err
			}
		}
	}
	return float64(time.Since(began).Nanoseconds()) / 1e3 / float64(n), nil
}

// collectiveBarriers runs n barriers of the library's, and some before them. It gives the time of one in microseconds.
func collectiveBarriers(g *session.Group, n int) (float64, error) {
	for range n/10 + 1 {
		if err := g.Barrier(); err != nil {
			return 0, err
		}
	}
	began := time.Now()
	for range n {
		if err := g.Barrier(); err != nil {
			return 0, err
		}
	}
	return float64(time.Since(began).Nanoseconds()) / 1e3 / float64(n), nil
}

// pair lets two ranks exchange n messages while the others wait in a barrier, and tells rank 0 how long one took.
func pair(g *session.Group, a, b, n int) (took float64, err error) {
	peer := -1
	switch g.Rank {
	case a:
		peer = b
	case b:
		peer = a
	}
	if peer >= 0 {
		began := time.Now()
		for range n {
			if g.Rank == a {
				if err := g.Send(peer, tagPair, 8); err != nil {
					return 0, err
				}
			}
			if err := g.Receive(peer, tagPair, 8); err != nil {
				return 0, err
			}
			if g.Rank == b {
				if err := g.Send(peer, tagPair, 8); err != nil {
					return 0, err
				}
			}
		}
		took = float64(time.Since(began).Nanoseconds()) / 1e3 / float64(2*n)
	}
	if a != 0 { // rank 0 was not among the two, or was the one that answered
		if g.Rank == a {
			binary.NativeEndian.PutUint64(g.Tx(), uint64(took*1e6))
			if err := g.Send(0, tagResult, 8); err != nil {
				return 0, err
			}
		}
		if g.Rank == 0 {
			if err := g.Receive(a, tagResult, 8); err != nil {
				return 0, err
			}
			took = float64(binary.NativeEndian.Uint64(g.Rx())) / 1e6
		}
	}
	_, err = barriers(g, 1)
	return took, err
}
