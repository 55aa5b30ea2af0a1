package session

import (
	"fmt"
	"os"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/perf"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/topo"
	"github.com/gofabric/gofabric/mr"
)

// memory is the buffers of a side: ordinary memory, or such that peers on this host can map.
type memory struct {
	bytes []byte
	alloc *mr.Memory
}

func newMemory(n, to int, o *options.Options) (*memory, error) {
	if free := topo.New(os.DirFS("/")).Available(); free > 0 && int64(n) > free { // else the runtime ends us without a word to the user
		return nil, &fi.Error{Op: "alloc", Err: fi.ErrNoMem, Hint: fmt.Sprintf("the buffers of this side need %s bytes, %s are available: smaller sizes with -S, or a smaller window with -W",
			perf.SizeString(int64(n)), perf.SizeString(free))}
	}
	if o.Alloc {
		a, err := mr.Alloc(n)
		if err != nil {
			return nil, fail.Call("mr_alloc", err)
		}
		return &memory{a.Bytes(), a}, nil
	}
	raw := make([]byte, n+to)
	return &memory{bytes: raw[gap(raw, to):][:n:n]}, nil
}

func (m *memory) free() error {
	if m == nil || m.alloc == nil {
		return nil
	}
	return fail.Call("mr_free", m.alloc.Free())
}
