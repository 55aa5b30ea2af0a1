package session

import (
	"os"

	"github.com/gofabric/gofabric/fi"
)

// memory is the buffers of a side.
type memory struct {
	bytes []byte
}

func newMemory(n int, alloc, align bool) (*memory, error) {
	if alloc {
		return nil, fi.ErrNoSys
	}
	to := lineSize
	if align {
		to = os.Getpagesize()
	}
	raw := make([]byte, n+to)
	return &memory{bytes: raw[gap(raw, to):][:n:n]}, nil
}

func (m *memory) free() {}
