package functional

import (
	"bytes"
	"fmt"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
)

// greeting is what the client sends, with the zero that ends a string in C.
const greeting = "Hello from Client!\x00"

// runRDM is the simplest use of an endpoint: the client greets.
func runRDM(env *scenario.Env) error {
	s, err := session.Open(env, session.Need{Caps: fi.CapMsg, Size: session.CtrlSize})
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // Finish has closed it when all went well
	if err := greet(env, s); err != nil {
		return err
	}
	return s.Leave()
}

// runMsg is the same over a connection, whose end is that of the run.
func runMsg(env *scenario.Env) error {
	s, err := session.Open(env, session.Need{Caps: fi.CapMsg, Size: session.CtrlSize, Connects: true})
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // closed below when all went well
	if err := greet(env, s); err != nil {
		return err
	}
	if err := s.Shutdown(); err != nil {
		return err
	}
	return s.Close()
}

// greet sends the greeting, or waits for it and looks at it.
func greet(env *scenario.Env, s *session.Session) error {
	if s.Client {
		return sayGreeting(env, s)
	}
	return hearGreeting(env, s)
}

func hearGreeting(env *scenario.Env, s *session.Session) error {
	fmt.Fprintln(env.Out, "Waiting for message from client...")
	if err := s.WaitRx(s.RxSeq); err != nil {
		return err
	}
	return checkGreeting(env, s.Rx)
}

func sayGreeting(env *scenario.Env, s *session.Session) error {
	fmt.Fprintln(env.Out, "Sending message...")
	copy(s.Tx, greeting)
	if err := s.PostTx(s.Tx[:len(greeting)], s.Context(0)); err != nil {
		return err
	}
	if err := s.WaitTx(s.TxSeq); err != nil {
		return err
	}
	fmt.Fprintln(env.Out, "Send completion received")
	return nil
}

// checkGreeting compares what came with the greeting, and prints it.
func checkGreeting(env *scenario.Env, got []byte) error {
	if !bytes.HasPrefix(got, []byte(greeting)) {
		text, _, _ := bytes.Cut(got[:len(greeting)], []byte{0})
		return fail.Call("check_recv_msg", fmt.Errorf("received %q, expected %q: %w", text, greeting[:len(greeting)-1], fi.ErrIO))
	}
	fmt.Fprintln(env.Out, "Data check OK")
	fmt.Fprintln(env.Out, "Received data from client: "+greeting[:len(greeting)-1])
	return nil
}
