package lnx

import (
	"context"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// Issue posts an operation; with the lock.
func (e *endpoint) Issue(w *driver.Work) error {
	if w.Kind.Receives() {
		return e.IssueRecv(w)
	}
	l, t, err := e.toLocked(w.Addr)
	switch {
	case err != 0:
		return err
	case l == nil:
		return e.hold(t, w)
	}
	return l.issuer.Issue(w)
}

// Map gives load and store access to a region of a peer that a link of this host leads to.
func (e *endpoint) Map(ctx context.Context, to fi.Addr, at mr.Remote, n int) ([]byte, func() error, error) {
	if raw, ok := e.AV.Lookup(to); ok {
		peer, err := parseAddress(raw)
		if err != nil {
			return nil, nil, err
		}
		for _, l := range e.links {
			if m, can := driver.Ability[driver.Mapper](l.ep); can && l.part.leadsTo(e.d, peer) {
				return m.Map(ctx, to, at, n)
			}
		}
		return nil, nil, fi.ErrOpNotSupp
	}
	return nil, nil, fi.ErrInvalid
}

var (
	_ driver.Issuer  = (*endpoint)(nil)
	_ driver.Revoker = (*endpoint)(nil)
	_ driver.Mapper  = (*endpoint)(nil)
	_ driver.Namer   = (*endpoint)(nil)
)
