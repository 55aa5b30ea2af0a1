package functional

import (
	"bytes"
	"fmt"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
)

// The texts that the client writes: the second one when the first has been written.
const (
	triggerFirst  = "Hello1 from Client!"
	triggerSecond = "Hello2 from Client!"

	triggerAt = 64 // where both go in the server's buffer: behind what messages that end the run are received into
)

// runRMATrigger queues a write on an alias whose operations are triggered, and starts it by another write, to the same place.
func runRMATrigger(env *scenario.Env) error {
	s, err := session.Open(env, session.Need{Caps: fi.CapMsg | fi.CapRMA | fi.CapRMAEvent | fi.CapTrigger, Counters: true, RMAEvents: true, Size: session.CtrlSize})
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // closed below when all went well
	flags := fi.OpTrigger
	alias, err := s.EP.Alias(&flags, nil)
	if err != nil {
		return fail.Call("fi_ep_alias", err)
	}
	if err := s.ExchangeKeys(); err != nil {
		return err
	}
	if s.Client {
		err = triggerWrites(env, s, alias)
	} else if err = s.WaitCounter(s.RMA, 2); err == nil {
		err = checkText(env, s.Rx[triggerAt:], triggerSecond)
	}
	if err != nil {
		return err
	}
	if err := s.Finalize(); err != nil {
		return err
	}
	return s.Close()
}

// triggerWrites is the client.
func triggerWrites(env *scenario.Env, s *session.Session, alias *fabric.Endpoint) error {
	n := copy(s.Tx[triggerAt:], triggerFirst)
	first := s.Tx[triggerAt:][:n]
	second := s.Tx[:copy(s.Tx[:triggerAt], triggerSecond)]
	fmt.Fprintln(env.Out, "Triggered RMA write to server")
	ctx := &fabric.TriggeredContext{Counter: s.TxCntr, Threshold: s.TxSeq + 1}
	if err := fail.Call("fi_write", alias.Write(second, s.Peer, s.Remote.At(triggerAt), ctx)); err != nil {
		return err
	}
	fmt.Fprintln(env.Out, "RMA write to server")
	if err := s.PostWrite(first, s.Context(0)); err != nil {
		return err
	}
	s.TxSeq++ // the triggered one
	if err := s.WaitTx(s.TxSeq); err != nil {
		return err
	}
	fmt.Fprintln(env.Out, "Received completion events for RMA write operations")
	return nil
}

// checkText compares what came with a text, and prints it.
func checkText(env *scenario.Env, got []byte, want string) error {
	if !bytes.HasPrefix(got, []byte(want)) {
		return fail.Call("check_recv_msg", fmt.Errorf("received %q, expected %q: %w", got[:len(want)], want, fi.ErrIO))
	}
	fmt.Fprintln(env.Out, "Data check OK")
	fmt.Fprintln(env.Out, "Received data from Client: "+want)
	return nil
}
