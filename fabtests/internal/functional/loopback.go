package functional

import (
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
)

// runLoopback sends the greeting from an endpoint to itself.
func runLoopback(env *scenario.Env) error {
	s, err := session.Alone(env, session.Need{Caps: fi.CapLocalComm | fi.CapMsg | fi.CapTagged, Size: session.CtrlSize})
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
	if err := s.Repost(); err != nil {
		return err
	}
	if err := sayGreeting(env, s); err != nil {
		return err
	}
	if err := hearGreeting(env, s); err != nil {
		return err
	}
	return s.Close()
}
