package ring

import (
	"testing"
	"unsafe"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memory is zeroed memory for one pair, at a page boundary.
func memory() []byte {
	b := make([]byte, PairBytes+4096)
	o := 4096 - int(uintptr(unsafe.Pointer(&b[0]))%4096)
	return b[o : o+PairBytes : o+PairBytes]
}

// ends are both views of one pair.
func ends(t testing.TB, publish Publish, first uint8) (mem []byte, a, b *Pair) {
	t.Helper()
	mem = memory()
	a, err := Layout(mem, Config{Maker, publish, first})
	if err != nil {
		t.Fatal(err)
	}
	b, err = Layout(mem, Config{Taker, publish, first})
	if err != nil {
		t.Fatal(err)
	}
	return mem, a, b
}

// startAt puts the ring from a to b at a position, with the lines as the lap before would have left them.
func startAt(a, b *Pair, pos uint32) {
	for p := pos - Lines; p != pos; p++ {
		a.Tx.lines[p%Lines].word = uint64(p + 1)
	}
	a.start(pos, a.Rx.pos)
	b.start(b.Tx.pos, pos)
	*b.Rx.head = pos
}

// fill writes a pattern that depends on the message's number.
func fill(b []byte, i int) {
	for j := range b {
		b[j] = byte(i*7 + j)
	}
}

func checkFill(t testing.TB, b []byte, i int) {
	t.Helper()
	for j := range b {
		if b[j] != byte(i*7+j) {
			t.Fatalf("message %d of %d bytes: byte %d is %#x, want %#x", i, len(b), j, b[j], byte(i*7+j))
		}
	}
}

var edgeSizes = []int{0, 1, 7, 8, 9, 39, 40, 41, 63, 64, 65, 127, 128, 129, 1024, 4096, 8 << 10, MaxPayload - 1, MaxPayload}
