package pattern

import (
	"errors"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fi"
)

func TestFill(t *testing.T) {
	b := make([]byte, 130)
	Fill(b)
	if got := string(b); !strings.HasPrefix(got, "0123456789abcdef") || got[:62] != got[62:124] || got[61] != 'Z' {
		t.Errorf("%s", got)
	}
	Fill(nil)
}

// TestFillAt makes a buffer of parts look as if it had been filled at once.
func TestFillAt(t *testing.T) {
	for _, part := range []int{1, 8, 61, 62, 63, 4092, 5000} {
		b := make([]byte, 2*4092+part)
		for off := 0; off < len(b); off += part {
			FillAt(b[off:min(off+part, len(b))], off)
		}
		if err := Check(b); err != nil {
			t.Errorf("parts of %d bytes: %v", part, err)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, n := range []int{0, 1, 61, 62, 63, 4091, 4092, 4093, 100000} {
		b := make([]byte, n)
		Fill(b)
		if err := Check(b); err != nil {
			t.Fatal(err)
		}
		for _, at := range []int{0, n / 2, n - 1} {
			if n == 0 {
				break
			}
			was := b[at]
			b[at] ^= 0x80
			err := Check(b)
			m, ok := errors.AsType[*Mismatch](err)
			if !ok || m.At != at || m.Size != n || !errors.Is(err, fi.ErrIO) {
				t.Errorf("%d bytes, wrong at %d: %v", n, at, err)
			}
			b[at] = was
		}
	}
	b := []byte("0124")
	if err := Check(b); err == nil || err.Error() != "Data check error (4!=3) at byte 3 for buffer size 4" {
		t.Error(err)
	}
}
