package functional

import (
	"fmt"

	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
)

// runRMAEvent writes a greeting into the server's memory, which a counter there notices.
func runRMAEvent(env *scenario.Env) error {
	s, err := session.Open(env, session.Need{Caps: fi.CapMsg | fi.CapRMA | fi.CapRMAEvent, Counters: true, RMAEvents: true, Size: session.CtrlSize})
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // closed below when all went well
	if err := s.ExchangeKeys(); err != nil {
		return err
	}
	if s.Client {
		fmt.Fprintln(env.Out, "RMA write to server")
		copy(s.Tx, greeting)
		if err := s.PostWrite(s.Tx[:len(greeting)], s.Context(0)); err != nil {
			return err
		}
		if err := s.WaitTx(s.TxSeq); err != nil {
			return err
		}
		fmt.Fprintln(env.Out, "Received a completion event for RMA write")
	} else {
		if err := s.WaitCounter(s.RMA, 1); err != nil {
			return err
		}
		if err := checkGreeting(env, s.Rx); err != nil {
			return err
		}
	}
	return s.Close()
}
