package functional

import (
	"fmt"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
)

// runAVTransfer checks that messages go right when the peer's name is removed and inserted again. Both tests have the same
// connection beside the fabric.
func runAVTransfer(env *scenario.Env) error {
	given := env.Link
	own := *env
	env = &own
	defer func() {
		if given == nil && env.Link != nil {
			env.Link.Close() //nolint:errcheck // nothing is in flight
		}
	}()
	for _, t := range []struct {
		name string
		run  func(*session.Session) error
	}{{"AV address removal: ", avRemoval}, {"AV re-insertion address: ", avReinsertion}} {
		fmt.Fprint(env.Out, t.name)
		err := avTest(env, t.run)
		if err != nil {
			fmt.Fprintln(env.Out, "FAIL")
			return err
		}
		fmt.Fprintln(env.Out, "PASS")
	}
	return nil
}

// avCaps: older programs of C have tagged messages here.
func avCaps(o *options.Options) fi.Caps {
	if v := o.PeerVersion; o.EPType == fi.EPRDM && v != 0 && v < session.AVPlain {
		return fi.CapTagged
	}
	return fi.CapMsg
}

func avTest(env *scenario.Env, run func(*session.Session) error) error {
	s, err := session.Open(env, session.Need{Caps: avCaps(env.Opt), Size: session.CtrlSize, OOB: true})
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // closed below when all went well
	if err := run(s); err != nil {
		return err
	}
	if err := s.Sync(); err != nil {
		return err
	}
	env.Link = s.HandOver()
	return s.Close()
}

// avRemoval removes the peer and finds it again, before the direction of the messages turns.
func avRemoval(s *session.Session) error {
	first, second := s.Receive, s.Send
	if s.Client {
		first, second = s.Send, s.Receive
	}
	if err := first(session.CtrlSize); err != nil {
		return err
	}
	if err := renew(s); err != nil {
		return err
	}
	return second(session.CtrlSize)
}

// avReinsertion sends in the same direction before and after.
func avReinsertion(s *session.Session) error {
	message := s.Receive
	if s.Client {
		message = s.Send
	}
	if err := message(session.CtrlSize); err != nil {
		return err
	}
	if err := renew(s); err != nil {
		return err
	}
	return message(session.CtrlSize)
}

func renew(s *session.Session) error {
	if err := s.AV.Remove([]fi.Addr{s.Peer}); err != nil {
		return fail.Call("fi_av_remove", err)
	}
	if err := s.Sync(); err != nil {
		return err
	}
	return s.Reacquaint()
}
