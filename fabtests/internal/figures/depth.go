package figures

import (
	"fmt"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/perf"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
)

// runDepth posts many tagged receives and sends to itself what matches the first, the last or any of them; each is posted
// again. Figures are of the whole: send, match, completion, post.
func runDepth(env *scenario.Env) error {
	s, err := session.Alone(env, session.Need{Caps: fi.CapTagged, Size: session.CtrlSize})
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // closed below when all went well
	name, err := s.EP.Name()
	if err != nil {
		return fail.Call("fi_getname", err)
	}
	if err := s.Insert(name); err != nil {
		return err
	}
	d := &depth{s: s}
	n := uint64(env.Opt.Window)
	if err := d.post(0); err != nil {
		return err
	}
	alone, err := d.measure(func(int) uint64 { return 0 })
	if err != nil {
		return err
	}
	for tag := uint64(1); tag < n; tag++ {
		if err := d.post(tag); err != nil {
			return err
		}
	}
	row := func(what string, ns float64) {
		env.Report.Row(perf.Row{Name: what, Value: ns, Unit: "ns"})
	}
	row("the only posted receive", alone)
	for _, m := range []struct {
		what string
		tag  func(int) uint64
	}{
		{"the first", func(int) uint64 { return 0 }},
		{"the last", func(int) uint64 { return n - 1 }},
		{"any", func(i int) uint64 { return uint64(i) * 7919 % n }},
	} {
		ns, err := d.measure(m.tag)
		if err != nil {
			return err
		}
		row(fmt.Sprintf("%s of %d posted receives", m.what, n), ns)
	}
	return s.Close()
}

type depth struct {
	s     *session.Session
	entry [8]cq.Entry
	ctx   any
}

func (d *depth) post(tag uint64) error {
	if d.ctx == nil {
		d.ctx = d.s.Context(0)
	}
	return fail.Call("fi_trecv", d.s.EP.TRecv(d.s.Rx[:8], fi.AddrUnspec, tag, 0, d.ctx))
}

// measure gives the best of several rounds, in nanoseconds an operation.
func (d *depth) measure(tag func(int) uint64) (float64, error) {
	const rounds, n = 5, 20000
	best := time.Duration(1 << 62)
	for range rounds {
		began := time.Now()
		for i := range n {
			g := tag(i)
			if err := d.s.EP.TInject(d.s.Tx[:8], d.s.Peer, g); err != nil {
				if err == fi.ErrAgain { //nolint:errorlint // a bare value
					if err := d.s.Progress(); err != nil {
						return 0, err
					}
					continue
				}
				return 0, fail.Call("fi_tinject", err)
			}
			for {
				k, err := d.s.RxCQ.Read(d.entry[:])
				if k > 0 {
					break
				}
				if err != fi.ErrAgain { //nolint:errorlint // a bare value
					return 0, fail.Call("fi_cq_read", err)
				}
				if err := d.s.Ended(); err != nil {
					return 0, err
				}
			}
			if err := d.post(g); err != nil {
				return 0, err
			}
		}
		best = min(best, time.Since(began))
	}
	return float64(best.Nanoseconds()) / n, nil
}
