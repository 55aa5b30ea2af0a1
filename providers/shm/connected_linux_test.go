package shm

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fi"
)

// TestEndWaitsForRoom has a peer send more than the receiver keeps, and go: what it sent is received afterwards, whole and
// in order, and then comes the end.
func TestEndWaitsForRoom(t *testing.T) {
	t.Setenv("FI_SHM_UNEXPECTED", "4096")
	leaves(t)
	o := newOffice(t, 8)
	defer o.close(t)
	h, ep := o.attack(t)
	defer h.close()
	const size, many = 1000, 18
	for i := range many {
		if !h.put(opEager, 0, 0, 0, bytes.Repeat([]byte{byte(i)}, size)) {
			t.Fatalf("message %d found no room in the ring", i)
		}
	}
	h.bell()
	for range 100 { // the receiver has read what it keeps, and waits
		if _, err := o.cq.Read(nil); err != nil {
			t.Fatal(err)
		}
		yield()
	}
	h.conn.Close()
	if e, bad := o.event(t); e.Event != fi.EventShutdown {
		t.Errorf("event %v, %v", e.Event, &bad)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patient)
	defer cancel()
	for i := range many + 1 {
		var buf [size]byte
		if err := ep.Recv(buf[:], 0, &buf); err != nil {
			t.Fatal(err)
		}
		var e [1]cq.Entry
		var bad cq.ErrEntry
		_, err := o.cq.SRead(ctx, e[:])
		if errors.Is(err, fi.ErrAvail) {
			err = o.cq.ReadErr(&bad)
		}
		switch {
		case err != nil:
			t.Fatal(err)
		case i == many && bad.Err != fi.ErrCanceled:
			t.Errorf("a receive at the end: %v, want FI_ECANCELED", &bad)
		case i < many && (bad.Err != 0 || e[0].Len != size || buf[0] != byte(i) || buf[size-1] != byte(i)):
			t.Fatalf("message %d: %v, %d bytes of %d", i, &bad, e[0].Len, buf[0])
		}
	}
}
