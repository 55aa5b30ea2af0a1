package window

import (
	"context"
	"encoding/binary"
	"errors"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// offer is what a member says of its part.
type offer struct {
	failed  bool
	flavor  Flavor
	unit    uint32
	kind    uint16
	align   uint16 // what the address of the data is a multiple of, up to 16
	size    uint64
	control mr.Remote
	data    mr.Remote
	err     error // why it has nothing to offer; not sent
}

const offerBytes = 1 + 1 + 2 + 2 + 2 + 4 + 8 + 4*8

func (o *offer) marshal() []byte {
	b := make([]byte, 0, offerBytes)
	failed := byte(0)
	if o.failed {
		failed = 1
	}
	b = append(b, failed, byte(o.flavor))
	le := binary.LittleEndian
	b = le.AppendUint16(b, o.kind)
	b = le.AppendUint16(b, o.align)
	b = le.AppendUint16(b, 0)
	b = le.AppendUint32(b, o.unit)
	b = le.AppendUint64(b, o.size)
	for _, r := range []mr.Remote{o.control, o.data} {
		b = le.AppendUint64(b, r.Addr)
		b = le.AppendUint64(b, r.Key)
	}
	return b
}

func (o *offer) unmarshal(b []byte) {
	le := binary.LittleEndian
	o.failed, o.flavor = b[0] != 0, Flavor(b[1])
	o.kind, o.align, o.unit, o.size = le.Uint16(b[2:]), le.Uint16(b[4:]), le.Uint32(b[8:]), le.Uint64(b[12:])
	o.control = mr.Remote{Addr: le.Uint64(b[20:]), Key: le.Uint64(b[28:])}
	o.data = mr.Remote{Addr: le.Uint64(b[36:]), Key: le.Uint64(b[44:])}
}

// offer makes one's own part. What went wrong stands in the result, for the others wait for it.
func (w *Window) offer() offer {
	o := offer{flavor: w.c.Flavor, unit: uint32(w.c.Unit), kind: w.c.Kind}
	if o.err = w.makeMemory(&o); o.err != nil {
		o.failed = true
	}
	return o
}

func (w *Window) makeMemory(o *offer) error {
	control, data := w.controlSize(), 0
	if w.c.Flavor == Allocate {
		data = w.c.Size
	}
	if w.c.Size < 0 {
		return fault(Argument, -1, "a length that cannot be: give 0 elements or more, of at most 2^46 bytes")
	}
	mem, err := mr.Alloc(control + data)
	if err != nil {
		return &Error{Kind: Memory, Rank: -1, Err: err, Hint: "the window's memory: take fewer elements"}
	}
	w.blocks = append(w.blocks, mem)
	w.control = mem.Bytes()[:control:control]
	if o.control, err = w.register(mem.Bytes()); err != nil {
		return err
	}
	switch w.c.Flavor {
	case Allocate:
		w.local = mem.Bytes()[control:]
		o.data = o.control.At(uint64(control))
	case Create:
		w.local = w.c.Memory
		if len(w.local) > 0 {
			if o.data, err = w.register(w.local); err != nil {
				return err
			}
		}
	case Shared:
		o.size, o.align = uint64(w.c.Size), 16
		return nil
	}
	o.size, o.align = uint64(len(w.local)), alignment(w.local)
	return nil
}

// alignment is the largest power of two up to 16 that divides the address.
func alignment(b []byte) uint16 {
	a := uint16(16)
	for at := mr.VirtualAddress(b); at%uint64(a) != 0; {
		a /= 2
	}
	return a
}

// register lets the members reach memory.
func (w *Window) register(b []byte) (mr.Remote, error) {
	var err error
	for range 8 { // a key that the program took for a region of its own is left alone
		key := uint64(w.c.ID)<<keyShift | w.nextKey.Add(1)
		var m *fabric.MR
		if m, err = w.d.Domain().RegisterMR(b, rights, &fi.MRAttr{Key: key}); err == nil {
			w.free.Lock()
			w.regions = append(w.regions, m)
			w.free.Unlock()
			return m.Remote(), nil
		}
		if !errors.Is(err, fi.ErrNoKey) {
			break
		}
	}
	return mr.Remote{}, &Error{Kind: Memory, Rank: -1, Err: err, Hint: "the window's memory cannot be registered"}
}

// keyShift leaves room for the regions of one window.
const keyShift = 32

// exchange tells the others of one's part and takes theirs.
func (w *Window) exchange(ctx context.Context, mine *offer) error {
	all, err := w.c.Gather(ctx, mine.marshal())
	if err != nil {
		return err
	}
	w.targets = make([]target, len(all))
	first := offer{}
	for r, b := range all {
		if len(b) != offerBytes {
			return fault(Mismatch, r, "its part cannot be read: do all run the same version?")
		}
		var o offer
		o.unmarshal(b)
		if r == 0 {
			first = o
		}
		switch {
		case mine.err != nil:
			return mine.err
		case o.failed:
			return fault(Memory, r, "the window's memory could not be made there")
		case o.flavor != first.flavor || o.unit != first.unit || o.kind != first.kind:
			return fault(Mismatch, r, "its elements or its kind of window are not those of rank 0: all members call the same function with the same type")
		case o.size > 1<<62:
			return fault(Memory, r, "a window of %d bytes", o.size)
		}
		w.targets[r].init(w, r, &o)
	}
	w.own()
	if w.c.Flavor == Shared {
		return w.share(ctx)
	}
	return nil
}
