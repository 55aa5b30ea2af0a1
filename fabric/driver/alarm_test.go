package driver

import (
	"testing"
	"time"

	"github.com/gofabric/gofabric/fi"
)

type countTask chan struct{}

func (c countTask) Run() { c <- struct{}{} }

// TestAlarm: with automatic progress the task runs though nobody polls, with manual progress when somebody does, and each
// setting is for one time.
func TestAlarm(t *testing.T) {
	for _, auto := range []bool{true, false} {
		attr := &fi.DomainAttr{Progress: fi.ProgressManual, Threading: fi.ThreadDomain}
		if auto {
			attr.Progress = fi.ProgressAuto
		}
		e := NewEngineLock(new(Lock), attr, nil)
		ran := make(countTask, 10)
		a := e.NewAlarm(ran)
		for range 2 {
			e.Lock()
			a.Set(time.Millisecond)
			e.Unlock()
			for end := time.Now().Add(30 * time.Second); len(ran) == 0; {
				if !auto {
					e.Polled()
				}
				if time.Now().After(end) {
					t.Fatalf("auto %v: the alarm does not ring", auto)
				}
				time.Sleep(time.Millisecond) // sleep: between looks
			}
			<-ran
			if e.Polled(); len(ran) != 0 {
				t.Errorf("auto %v: it rang twice", auto)
			}
		}
		e.Lock()
		a.Set(time.Hour)
		e.Unlock()
		a.Stop()
		a.ring() // it had rung just before
		e.Close()
		if len(ran) != 0 {
			t.Errorf("auto %v: it rang after Stop", auto)
		}
	}
}
