package stress

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// held is what a process holds.
type held struct {
	goroutines  int
	descriptors int
	mappings    int // of shared memory
	heap        uint64
}

// heapSlack is how much the heap may grow: what the runtime and caches that have a limit take in the course of time.
const heapSlack = 24 << 20

// measure counts; the system counts where it tells, on Linux.
func measure() held {
	runtime.GC()
	runtime.GC() // what the first one found finalizers for
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	h := held{goroutines: runtime.NumGoroutine(), heap: m.HeapAlloc}
	if list, err := os.ReadDir("/proc/self/fd"); err == nil {
		h.descriptors = len(list)
	}
	if maps, err := os.ReadFile("/proc/self/maps"); err == nil {
		h.mappings = bytes.Count(maps, []byte("memfd:")) + bytes.Count(maps, []byte("/dev/shm/"))
	}
	return h
}

// grown says what there is more of than in the beginning; "" for nothing.
func (h held) grown(now held) string {
	var out []string
	say := func(what string, was, is int) {
		if is > was {
			out = append(out, fmt.Sprintf("%d %s instead of %d", is, what, was))
		}
	}
	say("goroutines", h.goroutines, now.goroutines)
	say("descriptors", h.descriptors, now.descriptors)
	say("mappings of shared memory", h.mappings, now.mappings)
	if now.heap > h.heap+heapSlack {
		out = append(out, fmt.Sprintf("a heap of %d bytes instead of %d", now.heap, h.heap))
	}
	return strings.Join(out, ", ")
}

// settle measures until nothing is more than in the beginning: what is closed may take a moment to end.
func (h held) settle(patience time.Duration) string {
	end := time.Now().Add(patience)
	for wait := time.Millisecond; ; wait = min(2*wait, 100*time.Millisecond) {
		text := h.grown(measure())
		if text == "" || time.Now().After(end) {
			return text
		}
		time.Sleep(wait)
	}
}

// stacks are those of all goroutines, for a report.
func stacks() string {
	b := make([]byte, 64<<10)
	return string(b[:runtime.Stack(b, true)])
}
