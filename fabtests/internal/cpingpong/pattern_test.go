package cpingpong

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/gofabric/gofabric/fabtests/internal/perf"
	"github.com/gofabric/gofabric/fi"
)

// TestPattern has what C's program was seen to send.
func TestPattern(t *testing.T) {
	var out, in pattern
	for i, want := range []string{"01234567", "789abcde", "efghijkl", "lmnopqrs", "stuvwxyz", "zABCDEFG", "GHIJKLMN", "NOPQRSTU",
		"UVWXYZ01", "12345678", "89"} {
		b := make([]byte, len(want))
		out.fill(b)
		if string(b) != want {
			t.Errorf("message %d is %q, not %q", i, b, want)
		}
		if err := in.check(b); err != nil {
			t.Error(err)
		}
	}
	out.fill(nil)
	b := make([]byte, 200)
	out.fill(b)
	if string(b[:8]) != "mnopqrst" {
		t.Errorf("the empty message does not count: %q", b[:8])
	}
	in.next()
	b[150]++
	if err := in.check(b); !errors.Is(err, fi.ErrIO) {
		t.Errorf("a wrong byte: %v", err)
	}
}

// TestRow has a line of C's program.
func TestRow(t *testing.T) {
	var out bytes.Buffer
	printRow(&out, perf.Row{Size: 16, Iterations: 3, PerIter: 2, Elapsed: 5412 * time.Microsecond})
	if want := "16      3       =3       96          0.01s      0.02     902.00       0.00\n"; out.String() != want {
		t.Errorf("\n%q, want\n%q", out.String(), want)
	}
}
