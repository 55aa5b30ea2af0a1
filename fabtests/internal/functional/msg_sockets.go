package functional

import (
	"bytes"
	"fmt"
	"net/netip"
	"strings"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
)

// clientPort is where the client's passive endpoint is bound without -B.
const clientPort = "9229"

// runMsgSockets uses endpoints as sockets are used: an address is bound first, and then listened at or connected from.
func runMsgSockets(env *scenario.Env) error {
	if env.Opt.SrcAddr == "" && !env.Opt.Child.On {
		return &fail.Usage{Text: "msg_sockets: source address (-s) is required for this test", Next: "fabtests msg_sockets --local"}
	}
	s, err := session.Prepare(env, session.Need{Caps: fi.CapMsg, Size: session.CtrlSize, Connects: true})
	if s != nil {
		defer s.Close() //nolint:errcheck // closed below when all went well
	}
	if err != nil {
		return err
	}
	name, err := sourceName(env, s)
	if err != nil {
		return err
	}
	b := &bound{s: s}
	if s.Client {
		err = b.connect(env, name)
	} else {
		err = b.accept(env, name)
	}
	if err != nil {
		return err
	}
	if err := greet(env, s); err != nil {
		return err
	}
	if err := s.Shutdown(); err != nil {
		return err
	}
	return s.Close()
}

// sourceName is the address to bind to.
func sourceName(env *scenario.Env, s *session.Session) ([]byte, error) {
	o := env.Opt
	node, port := o.SrcAddr, o.SrcPort
	numbered := s.Info.AddrFormat == fi.AddrFormatSockaddrIn || s.Info.AddrFormat == fi.AddrFormatSockaddr6
	if node == "" && numbered {
		node = "127.0.0.1"
	}
	switch {
	case !s.Client || o.Given("src-port"):
	case !o.Child.On:
		port = clientPort
	case numbered: // several runs at a time
		port = "0"
	default:
		port = o.DstPort + "-client"
	}
	h := session.Hints(o, session.Need{Caps: fi.CapMsg})
	h.Fabric.ProvName, h.AddrFormat = s.Info.Fabric.ProvName, s.Info.AddrFormat
	infos, err := fabric.GetInfo(env.Ctx, h, fabric.WithNode(node, port), fabric.WithFlags(fi.InfoSource))
	if err != nil {
		return nil, session.NotOffered(fail.Call("fi_getinfo", err), o)
	}
	return infos[0].SrcAddr, nil
}

// bound sees that an address stays what it was.
type bound struct {
	s    *session.Session
	name []byte
}

// remember takes the address that the passive endpoint has been given.
func (b *bound) remember(env *scenario.Env) error {
	name, err := b.s.PEP.Name()
	if err != nil {
		return fail.Call("fi_getname", err)
	}
	b.name = name
	fmt.Fprintf(env.Out, "bound_addr: \"%s\"\n", b.text(name))
	return nil
}

// text gives an address of a host as [HOST]:PORT, others as they are.
func (b *bound) text(raw []byte) string {
	s := fi.FormatAddr(b.s.Info.AddrFormat, raw)
	_, hostPort, _ := strings.Cut(s, "://")
	if a, err := netip.ParseAddrPort(hostPort); err == nil {
		return fmt.Sprintf("[%v]:%d", a.Addr(), a.Port())
	}
	return s
}

// check compares an object's address with the one that was bound.
func (b *bound) check(of interface{ Name() ([]byte, error) }, after string) error {
	name, err := of.Name()
	switch {
	case err != nil:
		return fail.Call("fi_getname", err)
	case !bytes.Equal(name, b.name):
		return fail.Call("fi_getname", fmt.Errorf("address changed after %s: got %s expected %s: %w", after,
			b.text(name), b.text(b.name), fi.ErrInvalid))
	}
	return nil
}

// accept is the server.
func (b *bound) accept(env *scenario.Env, name []byte) error {
	s := b.s
	if err := s.Listen(name); err != nil {
		return err
	}
	if err := b.remember(env); err != nil {
		return err
	}
	if err := s.AcceptRequest(); err != nil {
		return err
	}
	return b.check(s.EP, "accept")
}

// connect is the client, whose endpoint takes the address of the passive one over.
func (b *bound) connect(env *scenario.Env, name []byte) error {
	s := b.s
	if err := s.OpenPassive(name); err != nil {
		return err
	}
	if err := b.remember(env); err != nil {
		return err
	}
	if err := b.check(s.PEP, "fi_endpoint (pep)"); err != nil {
		return err
	}
	s.Info.Handle = s.PEP
	if err := s.OpenActive(s.Info); err != nil {
		return err
	}
	if err := s.PEP.Close(); err != nil {
		return fail.Call("fi_close", err)
	}
	s.PEP, s.Info.Handle = nil, nil
	if err := s.Repost(); err != nil {
		return err
	}
	if err := b.check(s.EP, "fi_endpoint (ep)"); err != nil {
		return err
	}
	if _, err := s.ConnectOnce(nil); err != nil {
		return err
	}
	return b.check(s.EP, "connect")
}
