package driver_test

import (
	"sync"
	"testing"

	"github.com/gofabric/gofabric/fabric/driver"
)

// Lines are written once, in order, and Settle returns when another one has written what it had begun.
func TestNotes(t *testing.T) {
	var n driver.Notes
	var got []int
	begun, goOn := make(chan struct{}), make(chan struct{})
	n.Add(func(driver.Logger) { close(begun); <-goOn; got = append(got, 1) })
	n.Add(func(driver.Logger) { n.Flush(); got = append(got, 2) }) // a log that calls back
	var wg sync.WaitGroup
	wg.Go(n.Flush)
	<-begun
	n.Add(func(driver.Logger) { got = append(got, 3) })
	wg.Go(func() { close(goOn) })
	n.Settle()
	wg.Wait()
	if len(got) != 3 || got[0] != 1 || got[1] != 2 || got[2] != 3 {
		t.Errorf("written: %v, want 1, 2, 3", got)
	}
}
