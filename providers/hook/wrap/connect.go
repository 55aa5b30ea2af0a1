package wrap

import (
	"fmt"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// OpenPassive opens a passive endpoint of the inner network.
func (n *network) OpenPassive(info *fi.Info) (driver.PassiveEndpoint, error) {
	o, ok := driver.Ability[driver.PassiveOpener](n.Fabric)
	if !ok {
		return nil, fi.ErrOpNotSupp
	}
	v := &passive{p: n.p, name: number("pep", &n.p.passes)}
	err := n.p.call(&Call{API: Passive, Object: v.name, Parent: n.name}, func() (_ string, err error) {
		v.PassiveEndpoint, err = o.OpenPassive(info)
		return "", err
	})
	if err != nil {
		return nil, err
	}
	return v, nil
}

// passive wraps a passive endpoint.
type passive struct {
	driver.PassiveEndpoint
	p    *Provider
	name string
}

func (v *passive) Inner() any { return v.PassiveEndpoint }

func (v *passive) call(a API, args []Arg, f func() (string, error)) error {
	return v.p.call(&Call{API: a, Object: v.name, Args: args}, f)
}

func (v *passive) SetName(raw []byte) error {
	return v.call(SetName, []Arg{{"bytes", len(raw)}}, func() (string, error) { return "", v.PassiveEndpoint.SetName(raw) })
}

func (v *passive) Listen(ev *driver.Events, backlog int) error {
	return v.call(Listen, []Arg{{"backlog", backlog}}, func() (string, error) { return "", v.PassiveEndpoint.Listen(ev, backlog) })
}

func (v *passive) Reject(r *driver.ConnReq, data []byte) error {
	return v.p.call(&Call{API: Reject, Object: v.name, Target: r, Args: []Arg{{"data", bytes(data)}}},
		func() (string, error) { return "", v.PassiveEndpoint.Reject(r, data) })
}

func (v *passive) Close() error {
	return v.call(Close, nil, func() (string, error) { return "", v.PassiveEndpoint.Close() })
}

func bytes(b []byte) string { return fmt.Sprintf("%d bytes", len(b)) }

// own gives the inner provider's Info: with its passive endpoint as the handle, if one of ours is that.
func own(info *fi.Info) *fi.Info {
	v, ok := info.Handle.(*passive)
	if !ok {
		return info
	}
	i := info.Clone()
	i.Handle = v.PassiveEndpoint
	return i
}

// connector is the inner endpoint as one with connections; package fabric asks for that by driver.Ability first.
func (e *endpoint) connector() driver.Connector {
	c, ok := driver.Ability[driver.Connector](e.Endpoint)
	if !ok {
		return unconnected{}
	}
	return c
}

// unconnected refuses connections.
type unconnected struct{}

func (unconnected) Connect([]byte, []byte) error { return fi.ErrNoSys }
func (unconnected) Accept([]byte) error          { return fi.ErrNoSys }
func (unconnected) Shutdown() error              { return fi.ErrNoSys }
func (unconnected) Peer() ([]byte, error)        { return nil, fi.ErrNoSys }
func (unconnected) CMDataSize() int              { return 0 }

func (e *endpoint) Connect(to, data []byte) error {
	return e.call(Connect, []Arg{{"to", e.d.FormatAddr(to)}, {"data", bytes(data)}},
		func() (string, error) { return "", e.connector().Connect(to, data) })
}

func (e *endpoint) Accept(data []byte) error {
	return e.call(Accept, []Arg{{"data", bytes(data)}}, func() (string, error) { return "", e.connector().Accept(data) })
}

func (e *endpoint) Shutdown() error {
	return e.call(Shutdown, nil, func() (string, error) { return "", e.connector().Shutdown() })
}

func (e *endpoint) Peer() (raw []byte, err error) {
	err = e.call(GetPeer, nil, func() (string, error) {
		if raw, err = e.connector().Peer(); err != nil {
			return "", err
		}
		return e.d.FormatAddr(raw), nil
	})
	return raw, err
}

func (e *endpoint) CMDataSize() int { return e.connector().CMDataSize() }
