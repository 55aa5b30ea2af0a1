package conformance

import (
	"fmt"
	"os"
	"time"

	"go.uber.org/goleak"
)

// state is what a process holds besides memory of the collector.
type state struct {
	goroutines goleak.Option
	held       held
}

// held counts what the system gave us.
type held struct {
	descriptors int
	mappings    int // of shared memory
}

func snapshot() *state {
	return &state{goroutines: goleak.IgnoreCurrent(), held: countHeld()}
}

// warmUp makes the runtime open the descriptors that it keeps for good: those of its poller.
func warmUp() {
	if r, w, err := os.Pipe(); err == nil {
		r.Close()
		w.Close()
	}
}

// leaks tells what is there now and was not before.
func (s *state) leaks(patience time.Duration) []string {
	var out []string
	end := time.Now().Add(patience)
	for {
		err := goleak.Find(s.goroutines)
		if err == nil {
			break
		}
		if time.Now().After(end) {
			out = append(out, "goroutines are left: "+err.Error())
			break
		}
	}
	for {
		now := countHeld()
		if now.descriptors <= s.held.descriptors && now.mappings <= s.held.mappings {
			return out
		}
		if time.Now().After(end) {
			return append(out, fmt.Sprintf("left behind: %d descriptors, %d shared mappings",
				now.descriptors-s.held.descriptors, now.mappings-s.held.mappings))
		}
		pause(time.Millisecond)
	}
}

// pause waits between two looks at something that no event announces.
func pause(d time.Duration) {
	<-time.After(d)
}
