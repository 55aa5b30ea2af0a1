package tcp

import (
	"testing"
	"unsafe"

	"github.com/gofabric/gofabric/providers/tcp/wire"
)

// TestUnalias puts a long payload where the kernel would copy it to a place just behind its own, in a page.
func TestUnalias(t *testing.T) {
	raw := make([]byte, 2*aliasFrom+2*4096)
	page := raw[-uintptr(unsafe.Pointer(&raw[0]))&4095:]
	for _, c := range []struct {
		name      string
		plain     bool
		wrote, at int
		n         int
		fillers   int
	}{
		{name: "at a page's beginning", n: aliasFrom, fillers: 2},
		{name: "just before the place", at: 16, n: aliasFrom, fillers: 3},
		{name: "at the place", at: 24, n: aliasFrom},
		{name: "behind it", at: 64, n: aliasFrom},
		{name: "far before it", at: 24 + 4096 - aliasZone, n: aliasFrom},
		{name: "behind what we have just written", wrote: 56, at: 64, n: aliasFrom, fillers: 2},
		{name: "after a long message", wrote: 4096, n: aliasFrom, fillers: 2},
		{name: "short", n: aliasFrom - 1},
		{name: "to C", plain: true, n: aliasFrom},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := &conn{s: &source{}, ext: !c.plain, state: connReady, wroteSince: c.wrote, enc: wire.NewEncoder(wire.Little)}
			x.unalias(24, page[c.at:][:c.n])
			var sent []byte
			if x.out.Len() > 0 {
				sent = x.out.First().b
			}
			if len(sent) != c.fillers*fillerSize {
				t.Fatalf("%d bytes go first, want %d pongs of %d", len(sent), c.fillers, fillerSize)
			}
			for ; len(sent) > 0; sent = sent[fillerSize:] {
				if op := wire.Op(sent[1]); op != wire.ExtPong {
					t.Errorf("%v goes first", op)
				}
			}
			if was := (c.wrote + 24 - c.at) & 4095; was > 0 && was < aliasZone && !c.plain && c.n >= aliasFrom {
				if is := was + c.fillers*fillerSize; is < aliasZone {
					t.Errorf("the payload goes %d bytes behind its own place", is)
				}
			}
		})
	}
}
