package fabric

import (
	"fmt"
	mathbits "math/bits"
	"sync"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// contexts is how a vector whose names can name receive contexts (AVAttr.RxCtxBits) keeps them: each address takes as many
// consecutive places of the provider's vector as a peer may have contexts, which all report the one name as their sender.
type contexts struct {
	bits  int        // of a name that name the context, from the top; 0: none
	shift int        // how many places a name takes, as a power of two
	mu    sync.Mutex // held by insertions and removals, so that places stay consecutive
}

// contextShift is how many bits number all contexts that a peer may have.
var contextShift = mathbits.Len(driver.MaxContexts - 1)

func newContexts(rxCtxBits int) contexts {
	return contexts{bits: rxCtxBits, shift: min(rxCtxBits, contextShift)}
}

// place is where the provider has the peer, or its context, that a name of the application's stands for; no such place for
// a context that no peer can have. A peer group in the name's upper half stays there.
func (x *contexts) place(a fi.Addr) fi.Addr {
	if x.bits == 0 || a == fi.AddrUnspec {
		return a
	}
	index := a >> (64 - x.bits)
	a &= 1<<(64-x.bits) - 1
	if index>>x.shift != 0 || fi.Addr(uint32(a))>>(32-x.shift) != 0 {
		return noPlace
	}
	return a>>32<<32 | fi.Addr(uint32(a))<<x.shift | index
}

// noPlace is an index that no vector has.
const noPlace = fi.Addr(1<<32 - 2)

// insert adds a canonical address; in a vector with keys under one.
func (av *AV) insert(raw []byte, key driver.AuthKey) (fi.Addr, error) {
	x := &av.ctx
	if av.shared != nil {
		return av.insertShared(raw)
	}
	if x.bits == 0 {
		return av.v.Insert(av.keyed(raw, key)), nil
	}
	addresser, _ := driver.Ability[driver.ContextAddresser](av.domain.drv) // it was looked up when the vector was opened
	all := make([][]byte, 1<<x.shift)
	for i := range all {
		a, err := addresser.ContextAddr(raw, i)
		if err != nil {
			return fi.AddrNotAvail, err
		}
		all[i] = av.keyed(a, key)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	name := fi.AddrNotAvail
	for i, raw := range all {
		at := av.v.Insert(raw)
		if i == 0 {
			name = at >> x.shift
		}
		if err := av.v.SetUserID(at, name); err != nil {
			return name, err
		}
	}
	return name, nil
}

// keyed is what the vector has for a peer.
func (av *AV) keyed(raw []byte, key driver.AuthKey) []byte {
	if av.keyer != nil {
		raw = driver.KeyedAddr(raw, key)
	}
	return raw
}

// each calls f with every place of a name.
func (av *AV) each(a fi.Addr, f func(at fi.Addr) error) error {
	x := &av.ctx
	if x.bits == 0 {
		return f(a)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if a >= noPlace>>x.shift {
		return fi.ErrInvalid
	}
	for i := range fi.Addr(1) << x.shift {
		if err := f(a<<x.shift | i); err != nil {
			return err
		}
	}
	return nil
}

// checkContexts tells why a vector cannot have names for contexts; "" when it can.
func (d *Domain) checkContexts(bits int) string {
	if _, ok := driver.Ability[driver.ContextAddresser](d.drv); bits > 0 && !ok {
		return fmt.Sprintf("rx_ctx_bits %d: peers of this provider have one receive context, leave AVAttr.RxCtxBits 0", bits)
	}
	return ""
}
