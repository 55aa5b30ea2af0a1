//go:build unix

package remap

import "testing"

// TestSamePlace: memory that follows other memory at once is where that was, and is zeroed.
func TestSamePlace(t *testing.T) {
	m, err := New(1<<16, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := m.Bytes()
	if len(b) != 1<<16 {
		t.Fatalf("%d bytes, want %d", len(b), 1<<16)
	}
	b[0], b[len(b)-1] = 1, 1
	at, err := m.Free()
	if err != nil {
		t.Fatal(err)
	}
	again, err := New(1<<16, at)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Free() //nolint:errcheck // the test has ended
	if b := again.Bytes(); b[0] != 0 || b[len(b)-1] != 0 {
		t.Error("memory is not zeroed")
	}
	t.Logf("the same place: %v", again.At() == at)
}
