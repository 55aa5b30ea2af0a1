//go:build race

package segment

import (
	"unsafe"

	"github.com/gofabric/gofabric/internal/osx"
)

// raceToken stands for all segments: where members are goroutines of one process, the race detector must be told that what
// came before a step was published happened before it is seen. It does not see the shared memory itself.
var raceToken byte

func raceRelease() { osx.RaceReleaseMerge(unsafe.Pointer(&raceToken)) }
func raceAcquire() { osx.RaceAcquire(unsafe.Pointer(&raceToken)) }
