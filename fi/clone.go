package fi

import (
	"bytes"
	"reflect"
	"slices"
)

// Clone is a deep copy (fi_dupinfo): nothing is shared with i but the object that Handle names.
func (i *Info) Clone() *Info {
	if i == nil {
		return nil
	}
	c := *i
	c.SrcAddr = slices.Clone(i.SrcAddr)
	c.DestAddr = slices.Clone(i.DestAddr)
	c.EP.AuthKey = slices.Clone(i.EP.AuthKey)
	c.Domain.AuthKey = slices.Clone(i.Domain.AuthKey)
	c.NIC = clonePtr(i.NIC)
	return &c
}

// Equal reports whether both say the same, handles aside. Empty and nil slices are the same.
func (i *Info) Equal(other *Info) bool {
	if i == nil || other == nil {
		return i == other
	}
	a, b := i.Clone(), other.Clone()
	a.normalize()
	b.normalize()
	return reflect.DeepEqual(a, b)
}

func (i *Info) normalize() {
	i.Handle = nil
	for _, s := range []*[]byte{&i.SrcAddr, &i.DestAddr, &i.EP.AuthKey, &i.Domain.AuthKey} {
		*s = emptyToNil(*s)
	}
}

func emptyToNil(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	return b
}

// Hints asks for the same again: a round trip that lets one change a field and ask for the difference. Nothing is shared
// with i.
func (i *Info) Hints() *Hints { return i.Clone().shallowHints() }

// shallowHints are hints that point into i.
func (i *Info) shallowHints() *Hints {
	return &Hints{Caps: i.Caps, Mode: i.Mode, AddrFormat: i.AddrFormat, SrcAddr: i.SrcAddr, DestAddr: i.DestAddr,
		Tx: &i.Tx, Rx: &i.Rx, EP: &i.EP, Domain: &i.Domain, Fabric: &i.Fabric}
}

// Clone is a deep copy: nothing is shared with h.
func (h *Hints) Clone() *Hints {
	if h == nil {
		return nil
	}
	c := *h
	c.SrcAddr = slices.Clone(h.SrcAddr)
	c.DestAddr = slices.Clone(h.DestAddr)
	c.Tx, c.Rx, c.Fabric = clonePtr(h.Tx), clonePtr(h.Rx), clonePtr(h.Fabric)
	if c.EP = clonePtr(h.EP); c.EP != nil {
		c.EP.AuthKey = slices.Clone(c.EP.AuthKey)
	}
	if c.Domain = clonePtr(h.Domain); c.Domain != nil {
		c.Domain.AuthKey = slices.Clone(c.Domain.AuthKey)
	}
	return &c
}

// Equal reports whether both ask for the same. A nil attribute is one whose fields are zero, nil hints are empty ones.
func (h *Hints) Equal(other *Hints) bool {
	a, b := h.filled(), other.filled()
	return a.Equal(b)
}

// filled is what h asks for, in the form in which nothing is nil.
func (h *Hints) filled() *Info {
	if h == nil {
		return &Info{}
	}
	i := &Info{Caps: h.Caps, Mode: h.Mode, AddrFormat: h.AddrFormat, SrcAddr: bytes.Clone(h.SrcAddr),
		DestAddr: bytes.Clone(h.DestAddr)}
	if h.Tx != nil {
		i.Tx = *h.Tx
	}
	if h.Rx != nil {
		i.Rx = *h.Rx
	}
	if h.EP != nil {
		i.EP = *h.EP
	}
	if h.Domain != nil {
		i.Domain = *h.Domain
	}
	if h.Fabric != nil {
		i.Fabric = *h.Fabric
	}
	return i
}

func clonePtr[T any](p *T) *T {
	if p == nil {
		return nil
	}
	c := *p
	return &c
}
