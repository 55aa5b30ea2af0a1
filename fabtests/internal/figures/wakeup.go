package figures

import (
	"encoding/binary"
	"math"
	"slices"
	"time"

	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/perf"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/osx"
)

// Lengths of the wake-up test.
const (
	idleFor   = time.Second
	pauseFor  = 5 * time.Millisecond // longer than a blocked reader spins
	wakeTimes = 200
)

// runWakeup lets the server block in a read for a second, which should cost nothing, and then wakes it up by messages
// with pauses between, which it answers at once. The client polls.
func runWakeup(env *scenario.Env) error {
	o := *env.Opt
	if !env.Client && o.Wait == options.WaitSpin {
		o.Wait = options.WaitSRead
	}
	side := *env
	side.Opt = &o
	s, err := session.Open(&side, session.Need{Caps: fi.CapTagged, Size: session.CtrlSize})
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // Finish has closed it when all went well
	if err := s.Sync(); err != nil {
		return err
	}
	n := o.Iterations
	if n == 0 {
		n = wakeTimes
	}
	if s.Client {
		err = wakeUp(env, s, n)
	} else {
		err = sleep(s, n)
	}
	if err != nil {
		return err
	}
	return s.Finish()
}

// sleep is the server: the first answer carries the share of a processor that was used while nothing came.
func sleep(s *session.Session, n int) error {
	cpu, began := osx.ProcessTime(), time.Now()
	for i := range n + 1 {
		if err := s.Receive(8); err != nil {
			return err
		}
		if i == 0 {
			share := math.NaN()
			if cpu >= 0 {
				share = float64(osx.ProcessTime()-cpu) / float64(time.Since(began)) * 100
			}
			binary.NativeEndian.PutUint64(s.Tx, math.Float64bits(share))
		}
		if err := s.SendOrInject(8); err != nil {
			return err
		}
	}
	return nil
}

func wakeUp(env *scenario.Env, s *session.Session, n int) error {
	var took []float64
	var share float64
	for i := range n + 1 {
		pause := pauseFor
		if i == 0 {
			pause = idleFor
		}
		select {
		case <-time.After(pause):
		case <-env.Ctx.Done():
			return s.Ended()
		}
		began := time.Now()
		if err := s.SendOrInject(8); err != nil {
			return err
		}
		if err := s.WaitRx(s.RxSeq); err != nil {
			return err
		}
		d := time.Since(began)
		if i == 0 {
			share = math.Float64frombits(binary.NativeEndian.Uint64(s.Rx))
		} else {
			took = append(took, float64(d.Nanoseconds())/1e3)
		}
		if err := s.Repost(); err != nil {
			return err
		}
	}
	if !math.IsNaN(share) {
		env.Report.Row(perf.Row{Name: "processor time of an idle endpoint", Value: share, Unit: "%"})
	}
	slices.Sort(took)
	for _, q := range []struct {
		name string
		at   int
	}{{"best", 0}, {"median", len(took) / 2}, {"99th percentile", len(took) * 99 / 100}} {
		env.Report.Row(perf.Row{Name: "woken and answered, " + q.name, Value: took[q.at], Unit: "us"})
	}
	return nil
}
