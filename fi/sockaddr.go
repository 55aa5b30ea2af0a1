package fi

import (
	"encoding/binary"
	"net/netip"
	"strconv"
)

// Linux's address families and the sizes of its address structures. Addresses have this layout, little-endian where
// Linux uses the processor's order, on every system: it is what peers exchange.
const (
	familyInet   = 2  // AF_INET
	familyInet6  = 10 // AF_INET6
	sizeofInet   = 16 // struct sockaddr_in
	sizeofInet6  = 28 // struct sockaddr_in6
	inet6AddrOff = 8
	inet6ZoneOff = 24
)

// EncodeSockaddr gives the raw form of an IP address and port, struct sockaddr_in (16 bytes) or sockaddr_in6 (28 bytes)
// as Linux lays them out, and its format. A zone must be an interface's index in digits. [ErrInvalid] for other zones
// and for the zero AddrPort.
func EncodeSockaddr(ap netip.AddrPort) (AddrFormat, []byte, error) {
	switch a := ap.Addr(); {
	case a.Is4():
		b := make([]byte, sizeofInet)
		binary.LittleEndian.PutUint16(b, familyInet)
		binary.BigEndian.PutUint16(b[2:], ap.Port())
		ip := a.As4()
		copy(b[4:], ip[:])
		return AddrFormatSockaddrIn, b, nil
	case a.Is6():
		b := make([]byte, sizeofInet6)
		binary.LittleEndian.PutUint16(b, familyInet6)
		binary.BigEndian.PutUint16(b[2:], ap.Port())
		ip := a.As16()
		copy(b[inet6AddrOff:], ip[:])
		if z := a.Zone(); z != "" {
			scope, err := strconv.ParseUint(z, 10, 32)
			if err != nil {
				return 0, nil, addrError(ap.String(), "the zone must be an interface index in digits")
			}
			binary.LittleEndian.PutUint32(b[inet6ZoneOff:], uint32(scope))
		}
		return AddrFormatSockaddr6, b, nil
	}
	return 0, nil, addrError(ap.String(), "no IP address")
}

// DecodeSockaddr reads a raw sockaddr_in or sockaddr_in6; bytes after it are ignored, as in a sockaddr_storage. An IPv6
// scope becomes a zone in digits, a mapped IPv4 address stays IPv6. [ErrInvalid] for another family and for too few
// bytes.
func DecodeSockaddr(raw []byte) (netip.AddrPort, error) {
	if len(raw) < 2 {
		return netip.AddrPort{}, addrError("", "too short for a family")
	}
	switch family := binary.LittleEndian.Uint16(raw); {
	case family == familyInet && len(raw) >= sizeofInet:
		a := netip.AddrFrom4([4]byte(raw[4:]))
		return netip.AddrPortFrom(a, binary.BigEndian.Uint16(raw[2:])), nil
	case family == familyInet6 && len(raw) >= sizeofInet6:
		a := netip.AddrFrom16([16]byte(raw[inet6AddrOff:]))
		if scope := binary.LittleEndian.Uint32(raw[inet6ZoneOff:]); scope != 0 {
			a = a.WithZone(strconv.FormatUint(uint64(scope), 10))
		}
		return netip.AddrPortFrom(a, binary.BigEndian.Uint16(raw[2:])), nil
	case family == familyInet || family == familyInet6:
		return netip.AddrPort{}, addrError("", strconv.Itoa(len(raw))+" bytes are too few for the family")
	default:
		return netip.AddrPort{}, addrError("", "family "+strconv.Itoa(int(family))+" is not IP")
	}
}

// addrError says what is wrong with an address.
func addrError(addr, reason string) error {
	return &Error{Op: "address", Object: addr, Err: ErrInvalid, Hint: reason}
}
