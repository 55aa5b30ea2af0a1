package functional

import (
	"errors"
	"net/netip"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/cli"
)

// defaultGroup is in the block of addresses that organisations use among themselves.
const defaultGroup = "239.255.71.92:47593"

func mcastOptions(o *options.Options) []cli.Option {
	o.Group = defaultGroup
	return []cli.Option{{Short: 'M', Long: "multicast-address", Arg: "ADDRESS:PORT", Help: "the group (" + defaultGroup + ")", Set: func(v string) error {
		a, err := netip.ParseAddrPort(v)
		if ip, bad := netip.ParseAddr(v); bad == nil {
			a, err = netip.AddrPortFrom(ip, 47593), nil
		}
		if err != nil || !a.Addr().IsMulticast() {
			return options.Bad(v, "the address of a group, as 239.1.2.3 or 239.1.2.3:4567")
		}
		o.Group = a.String()
		return nil
	}}}
}

// runMulticast has the client greet a group of which the server is a member.
func runMulticast(env *scenario.Env) error {
	s, err := session.Open(env, session.Need{Caps: fi.CapMsg | fi.CapMulticast, Size: session.CtrlSize, Events: true})
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // closed below when all went well
	at, err := netip.ParseAddrPort(env.Opt.Group)
	if err != nil {
		return fail.Call("fi_join", err)
	}
	_, raw, err := fi.EncodeSockaddr(at)
	if err != nil {
		return fail.Call("fi_join", err)
	}
	flags := fi.BindRecv
	if s.Client {
		flags = fi.BindTransmit
	}
	mc, err := s.EP.Join(raw, flags, nil)
	if err != nil {
		return fail.Call("fi_join", err)
	}
	defer mc.Close() //nolint:errcheck // closed below when all went well
	if _, err := s.Event(fi.EventJoinComplete, mc); err != nil {
		return err
	}
	if err := s.Sync(); err != nil { // the server is a member now
		return err
	}
	if s.Client {
		s.Peer = mc.Addr()
	}
	if err := greet(env, s); err != nil {
		return err
	}
	return errors.Join(mc.Close(), s.Close())
}
