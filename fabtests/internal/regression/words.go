package regression

import "sync"

// mostWords is how much of what a process says is kept.
const mostWords = 4 << 10

// firstWords keeps the beginning of what is written to it.
type firstWords struct {
	mu sync.Mutex
	b  []byte
}

func (f *firstWords) Write(b []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.b = append(f.b, b[:min(len(b), mostWords-len(f.b))]...)
	return len(b), nil
}

func (f *firstWords) text() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return string(f.b)
}
