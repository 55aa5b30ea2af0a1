package stress

import "testing"

// TestPattern: each wrong byte is seen, wherever it stands, and so is the pattern of another key.
func TestPattern(t *testing.T) {
	for _, n := range []int{0, 1, 7, 8, 9, 16, 100, 1000} {
		b := make([]byte, n)
		fill(b, 5)
		if d := differs(b, 5); d != "" {
			t.Errorf("%d bytes: %s", n, d)
		}
		if n > 0 && differs(b, 6) == "" {
			t.Errorf("%d bytes: the pattern of another key is taken for it", n)
		}
		for i := range b {
			b[i] ^= 1
			if differs(b, 5) == "" {
				t.Errorf("byte %d of %d is wrong, and nothing is seen", i, n)
			}
			b[i] ^= 1
		}
	}
}

// TestMessages: a message that names its step is checked in all of its bytes.
func TestMessages(t *testing.T) {
	h := &phase{plan: &plan{}}
	for _, s := range []*step{{ID: 7}, {ID: 7, Header: true}} {
		for _, n := range []int{16, 17, 40} {
			b := make([]byte, n)
			h.fillMessage(b, s)
			if d := h.messageDiffers(b, s); d != "" {
				t.Errorf("%d bytes: %s", n, d)
			}
			for i := range b {
				b[i] ^= 0x80
				if h.messageDiffers(b, s) == "" {
					t.Errorf("header %v: byte %d of %d is wrong, and nothing is seen", s.Header, i, n)
				}
				b[i] ^= 0x80
			}
		}
	}
}

// TestSplit: the parts are the whole, in order.
func TestSplit(t *testing.T) {
	for n := range 50 {
		b := make([]byte, n)
		fill(b, 9)
		for parts := 1; parts < 9; parts++ {
			var all []byte
			cut := split(b, parts, uint64(n))
			for _, p := range cut {
				all = append(all, p...)
			}
			if len(cut) != parts || string(all) != string(b) {
				t.Errorf("%d bytes in %d parts: %d", n, parts, len(cut))
			}
		}
	}
}
