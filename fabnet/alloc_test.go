package fabnet_test

import (
	"io"
	"testing"
)

// TestNoAllocations answers messages of both kinds, injected and copied: nothing is allocated in the steady state.
func TestNoAllocations(t *testing.T) {
	linuxOnly(t)
	if raceEnabled {
		t.Skip("known: the race detector allocates")
	}
	for _, network := range []string{"shm", "tcp"} {
		for _, n := range []int{8, 8192, 100000} {
			t.Run("", func(t *testing.T) {
				a, b := connected(t, network, ways[network])
				done := make(chan struct{})
				go func() {
					defer close(done)
					buf := make([]byte, n)
					for {
						if _, err := io.ReadFull(b, buf); err != nil {
							return
						}
						if _, err := b.Write(buf); err != nil {
							return
						}
					}
				}()
				buf := make([]byte, n)
				got := testing.AllocsPerRun(500, func() {
					write(t, a, buf)
					if _, err := io.ReadFull(a, buf); err != nil {
						t.Fatal(err)
					}
				})
				if got > 0 {
					t.Errorf("%s, %d bytes: %v allocations a round trip", network, n, got)
				}
				a.Close()
				<-done
			})
		}
	}
}
