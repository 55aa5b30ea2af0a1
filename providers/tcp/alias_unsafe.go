package tcp

import (
	"unsafe"

	"github.com/gofabric/gofabric/providers/tcp/wire"
)

// A processor takes a load for one that needs a store before it when the two differ by a multiple of 4 KiB in their place,
// and waits. The kernel copies a payload to where the bytes before it end in their page, mostly a header's length behind the
// page's beginning, and long buffers mostly begin at one: each load then has a store just before it that looks like its own,
// and between processors that share no cache the copy takes nearly twice as long.
const (
	aliasFrom  = 32 << 10 // bytes of payload that are worth looking
	aliasZone  = 64       // stores so far ahead of a load delay it
	fillerSize = wire.BaseSize + 8
)

// unalias moves the bytes that will follow a header of n bytes out of the way, by answers to pings that nobody sent, which a
// peer of ours drops. It guesses: that the kernel began a new page when we last read.
func (c *conn) unalias(n int, payload []byte) {
	if !c.ext || len(payload) < aliasFrom || c.out.Len() > 0 || c.s.soft {
		return
	}
	ahead := (c.wroteSince + n - int(uintptr(unsafe.Pointer(unsafe.SliceData(payload))))) & 4095
	if ahead == 0 || ahead >= aliasZone {
		return
	}
	for ; ahead < aliasZone; ahead += fillerSize {
		b := c.room(fillerSize)
		if b == nil {
			return
		}
		c.enc.PutExtPong(b, 0)
	}
}
