package wire

import (
	"encoding/binary"
	"math/bits"
)

var (
	le = binary.LittleEndian
	be = binary.BigEndian
)

// Order is a byte order: what an endpoint announces in its handshake, or what a data stream uses ("wire order").
type Order uint8

const (
	// Little is little endian, which nearly all hosts announce, and so do we, whatever our processor is.
	Little Order = iota
	// Big is big endian.
	Big
)

// String gives "little endian" or "big endian".
func (o Order) String() string {
	if o == Little {
		return "little endian"
	}
	return "big endian"
}

// StreamOrder is the order of a data stream between two that announced these orders: little endian only if both did.
func StreamOrder(mine, peer Order) Order { return mine | peer }

func (o Order) word(b []byte) uint64 {
	w := le.Uint64(b)
	if o != Little {
		w = bits.ReverseBytes64(w)
	}
	return w
}

func (o Order) put(b []byte, w uint64) {
	if o != Little {
		w = bits.ReverseBytes64(w)
	}
	le.PutUint64(b, w)
}
