package runner

import (
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fabtests/internal/local"
)

// TestOutputHearsTheWord: the line is taken out wherever writes are cut, and nothing else is.
func TestOutputHearsTheWord(t *testing.T) {
	text := "before\n" + local.ReadyLine + "\nafter \x01 and \x01rea\n"
	for cut := range text {
		o := newOutput()
		for _, part := range []string{text[:cut], text[cut:]} {
			if n, err := o.Write([]byte(part)); n != len(part) || err != nil {
				t.Fatal(n, err)
			}
		}
		select {
		case <-o.ready:
		default:
			t.Errorf("cut at %d: it was not heard", cut)
		}
		if got := o.String(); got != "before\nafter \x01 and \x01rea\n" {
			t.Errorf("cut at %d: %q", cut, got)
		}
	}
	o := newOutput()
	o.Write([]byte("no word, but its beginning: \x01re")) //nolint:errcheck // it has none
	if got := o.String(); got != "no word, but its beginning: \x01re" {
		t.Errorf("%q", got)
	}
}

// TestOutputIsBounded keeps the beginning and the end of what a process prints without end.
func TestOutputIsBounded(t *testing.T) {
	o := newOutput()
	o.Write([]byte("the beginning\n")) //nolint:errcheck // it has none
	chunk := []byte(strings.Repeat("x", 1000) + "\n")
	for range 2000 {
		o.Write(chunk) //nolint:errcheck // it has none
	}
	o.Write([]byte("the end\n")) //nolint:errcheck // it has none
	s := o.String()
	if len(s) > 2*mostOutput || !strings.HasPrefix(s, "the beginning\n") || !strings.HasSuffix(s, "the end\n") || !strings.Contains(s, " bytes …\n") {
		t.Errorf("%d bytes: %.40q … %q", len(s), s, s[len(s)-40:])
	}
}
