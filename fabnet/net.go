package fabnet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"time"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
)

// The names of package net that programs use beside Dial and Listen.
type (
	// Conn is a connection as programs see it; fabnet's are of type *[Stream].
	Conn = net.Conn
	// Listener takes connections.
	Listener = net.Listener
	// Addr is the address of a connection's end: the provider's name, and what Dial takes.
	Addr = net.Addr
	// Error is an error that may be a timeout.
	Error = net.Error
	// OpError is the type of the errors that connections and listeners return.
	OpError = net.OpError
)

// ErrClosed is the error of calls on a closed connection or listener.
var ErrClosed = net.ErrClosed

// JoinHostPort is that of package net.
func JoinHostPort(host, port string) string { return net.JoinHostPort(host, port) }

// SplitHostPort is that of package net.
func SplitHostPort(hostport string) (host, port string, err error) {
	return net.SplitHostPort(hostport)
}

// Dialer makes connections and listeners of a kind. The zero value is that of the package's functions. It may be used by
// many goroutines, and must not be changed once it is in use.
type Dialer struct {
	// Timeout bounds a Dial; 0: the provider's own limit, and the context's.
	Timeout time.Duration
	// Hints say more of the endpoints that are wanted (a provider, a domain, traffic classes); their type and
	// capabilities are fabnet's matter. Nil: nothing.
	Hints *fi.Hints
	// Options are for fabric.GetInfo and fabric.Open: a registry, a logger.
	Options []fabric.Option
}

// Dial connects to an address (see the package's documentation for both). It is Dialer.DialContext without a context.
func Dial(network, address string) (net.Conn, error) {
	return new(Dialer).DialContext(context.Background(), network, address)
}

// DialTimeout is Dial for at most a time; 0 is no limit but the provider's.
func DialTimeout(network, address string, timeout time.Duration) (net.Conn, error) {
	return (&Dialer{Timeout: timeout}).DialContext(context.Background(), network, address)
}

// DialContext is Dial until ctx ends; the context has no meaning for the connection afterwards. It fits
// http.Transport.DialContext.
func DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return new(Dialer).DialContext(ctx, network, address)
}

// Listen takes connections at an address. With network "" it is the first provider's that can: its name is the Network of
// the listener's address, and a peer that dials with network "" finds it.
func Listen(network, address string) (net.Listener, error) {
	return new(Dialer).Listen(context.Background(), network, address)
}

// Dial is DialContext without a context.
func (d *Dialer) Dial(network, address string) (net.Conn, error) {
	return d.DialContext(context.Background(), network, address)
}

// DialContext connects to an address. When more than one provider or interface leads there, they are tried in the order of
// GetInfo. The connection is a *[Stream].
//
// Errors: *net.OpError around what each of them says: a *fi.EQErrEntry with fi.ErrConnRefused, fi.ErrTimedOut and the
// like, the context's error, or a *fabric.NoMatchError with the reasons of providers that do not lead there.
func (d *Dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if d.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d.Timeout)
		defer cancel()
	}
	if address == "" || address == ":" {
		return nil, opError("dial", network, nil, nil, &fi.Error{Op: "dial", Err: fi.ErrInvalid,
			Hint: "no address: give host:port, or the text of the listener's Addr"})
	}
	infos, err := d.infos(ctx, network, address, 0)
	if err != nil {
		return nil, opError("dial", network, nil, fabricAddr{network, address}, err)
	}
	var failed []error
	tried := make(map[string]bool)
	for _, info := range infos {
		prov := info.Fabric.ProvName
		if tried[prov] { // other interfaces of it lead elsewhere
			continue
		}
		tried[prov] = true
		s, err := d.dial(ctx, info)
		if err == nil {
			return s, nil
		}
		if errors.Is(err, fi.ErrProto) {
			err = fmt.Errorf("%w; %w", err, errBothSides)
		}
		failed = append(failed, opError("dial", prov, nil, addrOf(info, info.DestAddr), err))
		if ctx.Err() != nil {
			break
		}
	}
	if len(failed) == 1 {
		return nil, failed[0]
	}
	return nil, opError("dial", network, nil, fabricAddr{network, address}, errors.Join(failed...))
}

// errBothSides is what a program has to do that met another one.
var errBothSides = errors.New("both sides of a connection must use fabnet")

// dial makes one attempt.
func (d *Dialer) dial(ctx context.Context, info *fi.Info) (*Stream, error) {
	st, err := stationFor(info, d)
	if err != nil {
		return nil, err
	}
	s, err := st.open(info)
	if err != nil {
		st.release()
		return nil, err
	}
	if err := s.ep.Connect(nil, ours.marshal()); err != nil {
		s.Close()
		return nil, err
	}
	select {
	case <-s.settled:
		err = s.failure()
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err == nil {
		return s, nil
	}
	s.Close()
	return nil, err
}

// Listen takes connections at an address; ctx is for the look-up of names.
func (d *Dialer) Listen(ctx context.Context, network, address string) (net.Listener, error) {
	infos, err := d.infos(ctx, network, address, fi.InfoSource)
	var l net.Listener
	if err == nil {
		l, err = d.listen(infos[0])
	}
	if err != nil {
		return nil, opError("listen", network, nil, fabricAddr{network, address}, err)
	}
	return l, nil
}

// infos asks for endpoints that lead to an address, or that listen at it.
func (d *Dialer) infos(ctx context.Context, network, address string, flags fi.InfoFlags) ([]*fi.Info, error) {
	h := d.Hints.Clone()
	if h == nil {
		h = new(fi.Hints)
	}
	if h.EP == nil {
		h.EP = new(fi.EPAttr)
	}
	h.EP.Type = fi.EPMsg
	h.Caps |= fi.CapMsg
	if h.Domain == nil {
		h.Domain = new(fi.DomainAttr)
	}
	h.Domain.CQDataSize = headerBytes
	switch network {
	case "":
	case "tcp4":
		network, h.AddrFormat = "tcp", fi.AddrFormatSockaddrIn
	case "tcp6":
		network, h.AddrFormat = "tcp", fi.AddrFormatSockaddr6
	}
	if network != "" {
		if h.Fabric == nil {
			h.Fabric = new(fi.FabricAttr)
		}
		h.Fabric.ProvName = network
	}
	node, service := splitAddress(address)
	if flags&fi.InfoSource == 0 || node != "" || service != "" && service != "0" {
		opts := append([]fabric.Option{fabric.WithNode(node, service), fabric.WithFlags(flags)}, d.Options...)
		infos, err := fabric.GetInfo(ctx, h, opts...)
		if flags&fi.InfoSource != 0 && service == "0" {
			anyPort(infos, false)
		}
		return infos, err
	}
	infos, err := fabric.GetInfo(ctx, h, d.Options...)
	anyPort(infos, true)
	return infos, err
}

// anyPort makes Infos that shall listen at port 0 ones of an address that the provider chooses: elsewhere that is a name
// like others. anyHost asks for all interfaces.
func anyPort(infos []*fi.Info, anyHost bool) {
	for _, info := range infos {
		switch {
		case info.AddrFormat == fi.AddrFormatStr:
			info.SrcAddr = nil
		case anyHost && info.AddrFormat == fi.AddrFormatSockaddrIn:
			_, info.SrcAddr, _ = fi.EncodeSockaddr(netip.AddrPortFrom(netip.IPv4Unspecified(), 0))
		case anyHost && info.AddrFormat == fi.AddrFormatSockaddr6:
			_, info.SrcAddr, _ = fi.EncodeSockaddr(netip.AddrPortFrom(netip.IPv6Unspecified(), 0))
		}
	}
}

// splitAddress gives node and service of "host:service", of a name alone, and of an address in a provider's own form.
func splitAddress(address string) (node, service string) {
	if strings.Contains(address, "://") {
		return address, ""
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil { // a name
		return "", address
	}
	return host, port
}
