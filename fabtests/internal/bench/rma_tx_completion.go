package bench

import (
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/perf"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
)

// runRMATxCompletion measures writes of the client, each waited for by its completion before the next one begins.
func runRMATxCompletion(env *scenario.Env) error {
	op := env.Opt.Op
	if op == "" {
		op = "write"
	}
	switch {
	case env.Opt.Verify:
		return &fail.Usage{Text: "rma_tx_completion: this test does not support data validation", Next: "fabtests rma_bw -v"}
	case op == "writedata" && env.Opt.Counters:
		return &fail.Usage{Text: "rma_tx_completion: -o writedata has completions to wait for, not counts", Next: "fabtests rma_tx_completion -o writedata -t queue"}
	}
	s, err := session.Open(env, session.Need{Caps: fi.CapMsg | fi.CapRMA | fi.CapWrite | fi.CapRemoteWrite, Connects: true, Remote: true})
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // Finish has closed it when all went well
	if err := s.ExchangeKeys(); err != nil {
		return err
	}
	for _, size := range s.Sizes() {
		n := s.Opt.Count(size)
		if err := s.Sync(); err != nil {
			return err
		}
		switch {
		case s.Client:
			err = writeAndWait(s, op, size, n)
		case op == "writedata":
			for range n + s.Opt.Warmup {
				if err = receiveData(s, size); err != nil {
					break
				}
			}
		}
		if err != nil {
			return err
		}
		if s.Client {
			env.Report.Row(perf.Row{Size: size, Iterations: n, PerIter: 1, Elapsed: s.Elapsed})
		}
		if err := s.Sync(); err != nil { // the target learns that all writes are done
			return err
		}
	}
	return s.Finish()
}

// writeAndWait does n writes of a size, after some that do not count.
func writeAndWait(s *session.Session, op string, size, n int) error {
	buf := s.Tx[:size]
	inject := size <= s.RMAInject()
	for i := range n + s.Opt.Warmup {
		if i == s.Opt.Warmup {
			s.Start()
		}
		if s.Opt.Touch {
			s.Prepare(buf)
		}
		var err error
		switch {
		case inject && op == "writedata":
			err = s.InjectWriteData(buf)
		case inject:
			err = s.InjectWrite(buf)
		case op == "writedata":
			err = s.PostWriteData(buf, s.Context(0))
		default:
			err = s.PostWrite(buf, s.Context(0))
		}
		if err == nil && !inject {
			err = s.WaitTx(s.TxSeq)
		}
		if err != nil {
			return err
		}
	}
	s.Stop()
	return nil
}
