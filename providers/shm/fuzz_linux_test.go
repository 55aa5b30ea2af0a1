package shm

import (
	"reflect"
	"testing"

	"github.com/gofabric/gofabric/fi"
)

// FuzzHello parses what a peer may say first.
func FuzzHello(f *testing.F) {
	f.Add((&hello{}).marshal())
	f.Add((&hello{name: "a", incarnation: 1, features: 1, first: 127}).marshal())
	f.Add((&hello{status: fi.ErrProto, reason: "no"}).marshal())
	f.Add((&hello{kind: helloConnection, name: "a", data: []byte("may I?")}).marshal())
	f.Add((&hello{kind: helloDatagrams, name: "a"}).marshal())
	f.Add([]byte("GET / HTTP/1.0"))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := parseHello(b)
		if err != nil {
			if h != nil || err.Error() == "" {
				t.Error("an error and a hello, or no reason")
			}
			return
		}
		if h.first >= 128 || len(h.name) > maxName || len(h.reason) > maxReason || len(h.data) > cmDataSize {
			t.Errorf("%+v", h)
		}
		again, err := parseHello(h.marshal())
		if err != nil {
			t.Fatal(err)
		}
		again.version, again.oldest = h.version, h.oldest
		if !reflect.DeepEqual(again, h) {
			t.Errorf("%+v becomes %+v", h, again)
		}
	})
}

// FuzzRing has a peer send what the input says: op, lengths and fields of message after message.
func FuzzRing(f *testing.F) {
	f.Add([]byte{opEager | eagerTagged, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8})
	f.Add([]byte{opAnnounce, 32, 0, 1, 0, 0, 0, 3, 1, 0, 0, 0, 0, 1})
	f.Add([]byte{opRead, 40, 0, 9, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 8})
	f.Add([]byte{opAtomic, 64, 0, 9, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 7, 1})
	f.Add([]byte{opHold, 0, 1, opCancelMsg, 0, 0, opProbed, 0, 0, opRetire, 0, 7})
	v := newVictim(f, map[string]string{"FI_SHM_ROAD": "bulk"})
	var h *hostile
	f.Cleanup(func() {
		if h != nil {
			h.close()
		}
	})
	f.Fuzz(func(t *testing.T, b []byte) {
		if h == nil {
			h = attack(t, v.drv.name, nil)
		}
		v.post(t, 1)
		for len(b) >= 3 {
			op, n, x := b[0], int(b[1]), uint64(b[2])
			if b = b[3:]; n > len(b) {
				n = len(b)
			}
			if !h.put(op, uint16(x), x|x<<40, x, b[:n]) {
				break
			}
			b = b[n:]
			h.read(nil)
		}
		for range 3 {
			v.read()
		}
		if h.thrownOut() {
			h.close()
			h = nil
		}
	})
}
