package main

import (
	"io"
	"sync"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/local"
)

// output is the standard output. It keeps its first error, since a table of which a part is missing is no success: the disk
// was full.
type output struct {
	w   io.Writer
	mu  sync.Mutex // both sides of mem write
	err error
}

// Write writes, and remembers.
func (o *output) Write(b []byte) (int, error) {
	n, err := o.w.Write(b)
	if err != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.err == nil {
			o.err = err
		}
	}
	return n, err
}

// failed is the error with what to do.
func (o *output) failed() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		return nil
	}
	return &fail.Hint{Err: fail.Call("write", o.err), Next: local.Command() + ", with its output where there is room"}
}
