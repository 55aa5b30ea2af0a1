//go:build race

package ring

import (
	"unsafe"

	"github.com/gofabric/gofabric/internal/osx"
)

// raceToken stands for all rings: when both ends are in one process, as in tests, the race detector must be told that
// what came before a message was sent happened before it is received. It does not see the shared memory itself.
var raceToken byte

func raceRelease() { osx.RaceReleaseMerge(unsafe.Pointer(&raceToken)) }
func raceAcquire() { osx.RaceAcquire(unsafe.Pointer(&raceToken)) }
