package stress

import (
	"context"
	"errors"
	"fmt"

	"github.com/gofabric/gofabric/fi"
)

// connect joins each lane of this rank with that lane of every other: the lower rank asks.
func (n *node) connect() error {
	var err error
	if n.pep, err = n.fab.OpenPassive(n.info); err != nil {
		return err
	}
	if err := n.pep.BindEQ(n.eq); err != nil {
		return err
	}
	if err := n.pep.Listen(); err != nil {
		return err
	}
	name, err := n.pep.Name()
	if err != nil {
		return err
	}
	names, err := gather(context.Background(), n.link, n.patience, "listen", name, nil)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), n.patience)
	defer cancel()
	for _, p := range n.ports {
		if p.peer < n.rank {
			continue
		}
		if err := p.open(n.info); err != nil {
			return err
		}
		if err := p.ep.Connect(names[p.peer], []byte{byte(n.rank), byte(p.lane)}); err != nil {
			return err
		}
	}
	for connected := 0; connected < len(n.ports); {
		var e fi.EQEntry
		if err := n.eq.SRead(ctx, &e, 0); err != nil {
			return fmt.Errorf("connecting, with %d of %d connections made: %w", connected, len(n.ports), n.eq.Explain(err))
		}
		switch e.Event {
		case fi.EventConnReq:
			if len(e.CMData) != 2 {
				return fmt.Errorf("a request with the private data %q", e.CMData)
			}
			p := n.at(int(e.CMData[1]), int(e.CMData[0]))
			if p == nil || p.ep != nil {
				return fmt.Errorf("a request of rank %d for endpoint %d, which nobody waits for", e.CMData[0], e.CMData[1])
			}
			info := e.Info
			if err := p.open(info); err != nil {
				return err
			}
			if err := p.ep.Accept(nil); err != nil {
				return err
			}
		case fi.EventConnected:
			connected++
		default:
			return errors.New("while connecting: " + e.Event.String())
		}
	}
	return nil
}
