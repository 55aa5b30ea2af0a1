package tcp

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gofabric/gofabric/providers/tcp/wire"
)

// TestFollower cuts a stream at every place: the same headers are told.
func TestFollower(t *testing.T) {
	enc := wire.NewEncoder(wire.Little)
	var b [wire.MaxHeader]byte
	var stream []byte
	add := func(n, payload int) { stream = append(append(stream, b[:n]...), make([]byte, payload)...) }
	add(enc.PutTagged(b[:], 0, 0, 7, 100), 100)
	add(enc.PutExtPong(b[:], 0), 0)
	add(enc.PutMsg(b[:], wire.FlagData, 5, 300), 300)
	add(enc.PutExtDone(b[:], 9, 0), 0)
	want := []string{"tagged message, 24+100 bytes, tag 0x7", "pong, 24+0 bytes, serial 0", "message, 24+300 bytes, data 0x5", "done, 24+0 bytes, id 0x9"}
	ops := wire.ExtOps(wire.AllFeatures, wire.AllFeatures)
	for step := 1; step <= len(stream); step++ {
		f := follower{dec: wire.NewDecoder(wire.Little, ops)}
		var got []string
		for rest := stream; len(rest) > 0; {
			k := min(step, len(rest))
			f.take(rest[:k], func(h string) { got = append(got, h) })
			rest = rest[k:]
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("in steps of %d (-want +got):\n%s", step, d)
		}
	}
	f := follower{dec: wire.NewDecoder(wire.Little, ops)}
	var got []string
	f.take(make([]byte, 100), func(h string) { got = append(got, h) })
	if len(got) != 1 || !f.lost {
		t.Errorf("of rubbish it tells %q", got)
	}
}

// TestSlowLog tells more than may wait: the rest is counted until there is room, and then told as a number.
func TestSlowLog(t *testing.T) {
	b, err := newBells(available)
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	x := &tracer{s: &source{bells: b}}
	for range traceMost + 10 {
		x.tell("sent", "a header")
	}
	if n := x.waiting.Load(); n != traceMost || x.missed != 10 {
		t.Errorf("%d lines wait, %d are missed; want %d and 10", n, x.missed, traceMost)
	}
	x.s.notes.Flush()
	x.tell("sent", "a header")
	if n := x.waiting.Load(); n != 1 || x.missed != 0 {
		t.Errorf("with room again %d lines wait, %d are missed", n, x.missed)
	}
	x.s.notes.Flush()
}
