package figures

import (
	"context"
	"errors"
	"time"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/local"
	"github.com/gofabric/gofabric/fabtests/internal/perf"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/osx"
	"github.com/gofabric/gofabric/internal/shmem"
)

// runLine hands a cache line over and back: what no message between two processes can beat.
func runLine(env *scenario.Env) error {
	size := scenarioSize()
	m, err := shmem.MapPeer(local.SharedFD, size, shmem.ReadWrite, shmem.Populate)
	if err != nil {
		return &fail.Hint{Err: fail.Call("mmap", err), Next: "fabtests floor, which starts both sides itself"}
	}
	defer m.Unmap() //nolint:errcheck // the process ends
	const lineA, lineB = 0, 2 * lineSize
	f := &lines{env: env, mine: wordAt(m.Bytes(), lineA), his: wordAt(m.Bytes(), lineB), first: env.Client}
	if env.Client {
		f.mine, f.his = f.his, f.mine
	}
	n := env.Opt.Count(lineSize) // as many as a ping-pong of messages
	if err := f.exchange(n/10 + 1); err != nil {
		return err
	}
	began := time.Now()
	if err := f.exchange(n); err != nil {
		return err
	}
	ns := float64(time.Since(began).Nanoseconds()) / float64(2*n)
	env.Report.Row(perf.Row{Name: "cache line hand-over, one way", Value: ns, Unit: "ns"})
	return nil
}

const lineSize = 64

// spins is how many polls pass between two looks at the clock.
const spins = 1 << 16

// tired ends a wait whose other side is not there, and lets it run when both share a processor.
func (f *lines) tired(began time.Time) error {
	osx.SchedYield()
	if err := context.Cause(f.env.Ctx); err != nil {
		return err
	}
	if t := f.env.Opt.Timeout; t > 0 && time.Since(began) > t {
		return fail.Call("floor", errors.Join(fi.ErrTimedOut, errors.New("the other process does not answer")))
	}
	return nil
}
