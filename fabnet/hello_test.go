package fabnet

import "testing"

// FuzzHello reads what a peer may say.
func FuzzHello(f *testing.F) {
	f.Add(ours.marshal())
	f.Add([]byte("fnet"))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := parseHello(b)
		if err != nil {
			return
		}
		if h.window < 2 || h.window > headerCredit || h.frame < 1 {
			t.Errorf("%+v", h)
		}
		if again, err := parseHello(h.marshal()); err != nil || again != h {
			t.Errorf("%+v becomes %+v, %v", h, again, err)
		}
	})
}
