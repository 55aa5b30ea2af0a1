package udp

import (
	"encoding/binary"
	"net/netip"
	"strconv"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/inet"
)

// Linux's address families, and the sizes of its address structures.
const (
	familyInet  = 2
	familyInet6 = 10
	sizeofInet  = 16
	sizeofInet6 = 28
)

// sockName is an address as system calls take it.
type sockName struct {
	b [sizeofInet6]byte
	n uint32
}

// set fills the name; mapped is for IPv4 peers of a socket that serves both families.
func (s *sockName) set(a netip.AddrPort, mapped bool) {
	*s = sockName{}
	binary.BigEndian.PutUint16(s.b[2:], a.Port())
	if a.Addr().Is4() && !mapped {
		binary.NativeEndian.PutUint16(s.b[:], familyInet)
		v := a.Addr().As4()
		copy(s.b[4:], v[:])
		s.n = sizeofInet
		return
	}
	binary.NativeEndian.PutUint16(s.b[:], familyInet6)
	v := a.Addr().As16()
	copy(s.b[8:], v[:])
	binary.NativeEndian.PutUint32(s.b[24:], scopeOf(a.Addr()))
	s.n = sizeofInet6
}

func scopeOf(a netip.Addr) uint32 {
	n, err := strconv.ParseUint(a.Zone(), 10, 32)
	if err != nil {
		return 0
	}
	return uint32(n)
}

// key is an address as it is looked up: IPv4 in its mapped form.
type key struct {
	ip    [16]byte
	scope uint32
	port  uint16
}

// key reads a name that a system call has filled; of another family nobody is known.
//
//fabric:fastpath
func (s *sockName) key() (k key) {
	k.port = binary.BigEndian.Uint16(s.b[2:])
	switch binary.NativeEndian.Uint16(s.b[:]) {
	case familyInet:
		k.ip[10], k.ip[11] = 0xff, 0xff
		copy(k.ip[12:], s.b[4:8])
	case familyInet6:
		copy(k.ip[:], s.b[8:24])
		k.scope = binary.NativeEndian.Uint32(s.b[24:])
	}
	return k
}

func keyOf(a netip.AddrPort) key {
	return key{ip: a.Addr().As16(), scope: scopeOf(inet.NumericZone(a.Addr())), port: a.Port()}
}

// raw is the address in the form that applications exchange.
func (k key) raw() []byte {
	a := netip.AddrFrom16(k.ip).Unmap()
	if a.Is6() && k.scope != 0 {
		a = a.WithZone(strconv.FormatUint(uint64(k.scope), 10))
	}
	return inet.Raw(netip.AddrPortFrom(a, k.port))
}

// dest is a peer, or a group, that we send to.
type dest struct {
	addr netip.AddrPort
	name sockName
}

func (e *endpoint) newDest(a netip.AddrPort) *dest {
	d := &dest{addr: a}
	d.name.set(a, !e.want.Addr().Is4())
	return d
}

// dest gives the peer at an index, nil when there is none.
//
//fabric:fastpath
func (e *endpoint) dest(to fi.Addr) *dest {
	if to < fi.Addr(len(e.dests)) {
		if d := e.dests[to]; d != nil {
			return d
		}
	}
	return e.findDest(to)
}

//go:noinline
func (e *endpoint) findDest(to fi.Addr) *dest {
	if to >= groupBase && to != fi.AddrNotAvail {
		if i := to - groupBase; i < fi.Addr(len(e.groups)) && e.groups[i] != nil {
			return e.groups[i].to
		}
		return nil
	}
	raw, ok := e.AV.Lookup(to)
	if !ok {
		return nil
	}
	a, err := ip.CheckAddr(raw)
	if err != nil {
		return nil
	}
	for fi.Addr(len(e.dests)) <= to {
		e.dests = append(e.dests, nil)
	}
	e.dests[to] = e.newDest(a)
	return e.dests[to]
}

// known is what is kept of the vector, to find senders.
type known struct {
	raws  [][]byte // by index
	byKey map[key]fi.Addr

	last   key // the last sender, and what it is in the vector
	lastID fi.Addr
}

// sender finds a sender.
//
//fabric:fastpath
func (k *known) sender(from key) fi.Addr {
	if from != k.last {
		k.last, k.lastID = from, fi.AddrNotAvail
		if id, ok := k.byKey[from]; ok {
			k.lastID = id
		}
	}
	return k.lastID
}

// AVInserted makes a sender known, or gives it another name. With the lock.
func (e *endpoint) AVInserted(a fi.Addr, raw []byte) {
	for fi.Addr(len(e.raws)) <= a {
		e.raws = append(e.raws, nil)
	}
	e.raws[a] = raw
	e.recognise(raw)
}

// AVRemoved makes one unknown. With the lock.
func (e *endpoint) AVRemoved(a fi.Addr) {
	if a < fi.Addr(len(e.dests)) {
		e.dests[a] = nil
	}
	if a < fi.Addr(len(e.raws)) && e.raws[a] != nil {
		raw := e.raws[a]
		e.raws[a] = nil
		e.recognise(raw)
	}
}

// recognise asks the vector what an address is now.
func (e *endpoint) recognise(raw []byte) {
	addr, err := ip.CheckAddr(raw)
	if err != nil {
		return
	}
	k := keyOf(addr)
	if a := e.AV.Reverse(raw); a == fi.AddrNotAvail {
		delete(e.byKey, k)
	} else {
		e.byKey[k] = e.AV.UserID(a)
	}
	e.last, e.lastID = key{}, fi.AddrNotAvail
}

// recogniseAll does so with what was inserted before the endpoint was enabled.
func (e *endpoint) recogniseAll() {
	e.d.eng.Lock()
	defer e.d.eng.Unlock()
	for a := range fi.Addr(e.AV.Len()) {
		if raw, ok := e.AV.Lookup(a); ok {
			e.AVInserted(a, raw)
		}
	}
}
