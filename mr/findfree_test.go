package mr_test

import (
	"sync"
	"testing"

	"github.com/gofabric/gofabric/mr"
)

// TestFindWhileFreed looks for memory while another goroutine frees some: the race detector must have nothing to say.
func TestFindWhileFreed(t *testing.T) {
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for range 100 {
				m, err := mr.Alloc(64)
				if err != nil {
					t.Error(err)
					return
				}
				mr.Find(m.Bytes())
				if err := m.Free(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}
