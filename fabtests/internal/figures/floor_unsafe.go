package figures

import (
	"os"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/gofabric/gofabric/fabtests/internal/scenario"
)

// lines are two words in lines of their own: one that we poll, one that we write.
type lines struct {
	env       *scenario.Env
	mine, his *uint64
	first     bool
	at        uint64 // the last number that was exchanged
}

// scenarioSize is the size of the shared memory.
func scenarioSize() int { return os.Getpagesize() }

func wordAt(b []byte, off int) *uint64 { return (*uint64)(unsafe.Pointer(&b[off])) }

// exchange sends n numbers forth and back, by plain stores.
func (f *lines) exchange(n int) error {
	mine, his, at := f.mine, f.his, f.at
	for range n {
		at++
		if f.first {
			*his = at
		}
		for tries := 1; atomic.LoadUint64(mine) != at; tries++ {
			if tries%spins == 0 {
				if err := f.wait(at); err != nil {
					return err
				}
				break
			}
		}
		if !f.first {
			*his = at
		}
	}
	f.at = at
	return nil
}

// wait waits for a number that does not come at once.
//
//go:noinline
func (f *lines) wait(at uint64) error {
	began := time.Now()
	for atomic.LoadUint64(f.mine) != at {
		if err := f.tired(began); err != nil {
			return err
		}
	}
	return nil
}
