package figures

import (
	"math"
	"time"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/perf"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/mr"
)

// runCopy copies a buffer of each size again and again: what an RMA write into mapped memory cannot beat. With --alloc the
// target is memory of mr.Alloc.
func runCopy(env *scenario.Env) error {
	for _, size := range env.Opt.SizeList(math.MaxInt64) {
		src, dst := make([]byte, size), make([]byte, size)
		if env.Opt.Alloc && size > 0 {
			m, err := mr.Alloc(size)
			if err != nil {
				return fail.Call("mr_alloc", err)
			}
			defer m.Free() //nolint:errcheck // nothing uses it
			dst = m.Bytes()
		}
		for i := range src {
			src[i], dst[i] = byte(i), 1 // every page is there
		}
		n := env.Opt.StreamCount(size)
		for range env.Opt.Warmup {
			copy(dst, src)
		}
		began := time.Now()
		for range n {
			copy(dst, src)
		}
		env.Report.Row(perf.Row{Size: size, Iterations: n, PerIter: 1, Elapsed: time.Since(began)})
		if err := env.Ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}
