package figures

import (
	"fmt"
	"strconv"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/perf"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
)

// runEmpty reads an empty queue of a domain with one peer, in every mode.
func runEmpty(env *scenario.Env) error {
	n := 0
	for _, t := range []fi.Threading{fi.ThreadSafe, fi.ThreadCompletion, fi.ThreadDomain} {
		for _, p := range []fi.Progress{fi.ProgressAuto, fi.ProgressManual} {
			if err := emptyIn(env, t, p, n); err != nil {
				return err
			}
			n++
		}
	}
	return nil
}

// another gives a service of its own to each mode: a message must not go to the endpoint of the mode before.
func another(service string, n int) string {
	if port, err := strconv.Atoi(service); err == nil {
		return strconv.Itoa(port + n)
	}
	return service + strconv.Itoa(n)
}

// emptyIn measures one mode; the server waits for the end.
func emptyIn(env *scenario.Env, t fi.Threading, p fi.Progress, n int) error {
	o := *env.Opt
	o.Threading, o.DataProgress = t, p
	o.SrcPort, o.DstPort = another(o.SrcPort, n), another(o.DstPort, n)
	mode := *env
	mode.Opt = &o
	s, err := session.Open(&mode, session.Need{Caps: fi.CapTagged, Size: session.CtrlSize})
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // Finish has closed it when all went well
	if err := s.Sync(); err != nil {
		return err
	}
	if s.Client {
		n := o.Iterations
		if n == 0 {
			n = 1 << 20
		}
		var entries [8]cq.Entry
		best := time.Duration(1 << 62)
		for range 3 {
			began := time.Now()
			for range n {
				if k, err := s.RxCQ.Read(entries[:]); k != 0 || err != fi.ErrAgain { //nolint:errorlint // a bare value
					return fail.Call("fi_cq_read", fmt.Errorf("%d entries in an empty queue: %w", k, err))
				}
			}
			best = min(best, time.Since(began))
		}
		env.Report.Row(perf.Row{Name: fmt.Sprintf("empty read, %v, %v", t, p), Value: float64(best.Nanoseconds()) / float64(n), Unit: "ns"})
	}
	if err := s.Sync(); err != nil {
		return err
	}
	return s.Finish()
}
