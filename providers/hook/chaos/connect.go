package chaos

import (
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// OpenPassive opens a passive endpoint of the inner network.
func (n *network) OpenPassive(info *fi.Info) (driver.PassiveEndpoint, error) {
	o, ok := n.Fabric.(driver.PassiveOpener)
	if !ok {
		return nil, fi.ErrOpNotSupp
	}
	p, err := o.OpenPassive(n.p.truth(info))
	if err != nil {
		return nil, err
	}
	return &passive{p, n.p.m}, nil
}

// passive wraps a passive endpoint.
type passive struct {
	driver.PassiveEndpoint
	m Mutant
}

func (p *passive) Reject(r *driver.ConnReq, data []byte) error {
	if p.m == RejectSaysNothing {
		data = nil
	}
	return p.PassiveEndpoint.Reject(r, data)
}

// own gives the inner provider's Info: with its passive endpoint as the handle, if one of ours is that.
func own(info *fi.Info) *fi.Info {
	p, ok := info.Handle.(*passive)
	if !ok {
		return info
	}
	i := info.Clone()
	i.Handle = p.PassiveEndpoint
	return i
}

// connected wraps an endpoint with connections.
type connected struct {
	*endpoint
	driver.Connector
}

// CMDataSize gives the longest private data.
func (c *connected) CMDataSize() int {
	n := c.Connector.CMDataSize()
	if c.m == PromiseCMData {
		n *= 2
	}
	return n
}

func (c *connected) Connect(to, data []byte) error {
	if c.m == ShortPrivateData && len(data) > 0 {
		data = data[:len(data)-1]
	}
	return c.Connector.Connect(to, data)
}

func (c *connected) Accept(data []byte) error {
	if c.m == AcceptSaysNothing {
		data = nil
	}
	return c.Connector.Accept(data)
}

func (c *connected) Shutdown() error {
	if c.m == SilentShutdown {
		if _, err := c.Connector.Peer(); err != nil {
			return err
		}
		return nil
	}
	return c.Connector.Shutdown()
}

func (c *connected) Peer() ([]byte, error) {
	if _, err := c.Connector.Peer(); err == nil && c.m == WrongPeer {
		return c.Name()
	}
	return c.Connector.Peer()
}
