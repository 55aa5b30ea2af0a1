package runner

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/gofabric/gofabric/fabtests/internal/local"
)

// mostOutput bounds what is kept of a process's output: its beginning and its end, half each.
const mostOutput = 128 << 10

// output keeps what a process prints, and notices the line by which one of ours says that it is ready.
type output struct {
	mu    sync.Mutex // a process has two streams
	head  []byte
	tail  []byte
	lost  int
	part  []byte // the beginning of a line that may be the word
	ready chan struct{}
	told  bool
}

func newOutput() *output { return &output{ready: make(chan struct{})} }

var readyLine = []byte(local.ReadyLine + "\n")

// Write keeps b.
func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	text := b
	if !o.told {
		text = o.listen(b)
	}
	if room := mostOutput/2 - len(o.head); room > 0 {
		n := min(room, len(text))
		o.head, text = append(o.head, text[:n]...), text[n:]
	}
	o.tail = append(o.tail, text...)
	if len(o.tail) > mostOutput {
		cut := len(o.tail) - mostOutput/2
		o.lost += cut
		o.tail = append(o.tail[:0], o.tail[cut:]...)
	}
	return len(b), nil
}

// listen takes the word out of what is printed; what may be its beginning waits for the rest.
func (o *output) listen(b []byte) []byte {
	text := append(o.part, b...)
	o.part = nil
	if before, after, found := bytes.Cut(text, readyLine); found {
		o.told = true
		close(o.ready)
		return append(before[:len(before):len(before)], after...)
	}
	for n := min(len(readyLine)-1, len(text)); n > 0; n-- {
		if bytes.HasSuffix(text, readyLine[:n]) {
			o.part = bytes.Clone(text[len(text)-n:])
			return text[:len(text)-n]
		}
	}
	return text
}

// String is what was kept.
func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := string(o.head)
	if o.lost > 0 {
		s += fmt.Sprintf("\n… %d bytes …\n", o.lost)
	}
	return s + string(o.tail) + string(o.part)
}
