package chaos

import (
	"sync/atomic"

	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// collectives are the collectives of a mutant.
type collectives struct {
	driver.Collectives
	e     *endpoint
	count atomic.Int64
}

func (c *collectives) Collective(o fi.CollectiveOp, group, root fi.Addr, k *fiatomic.Kernel, size int, in, out []byte, ctx any, fl fi.OpFlags) error {
	return c.e.post(fl, func() error { // with a place in the real queue, as every operation
		switch {
		case c.e.m == ValueMissing && o.Reduces() && c.count.Add(1)%5 == 3:
			in = make([]byte, len(in))
		case c.e.m == BarrierEarly && o == fi.CollBarrier && fl&fi.OpCompletion != 0:
			err := c.Collectives.Collective(o, group, root, k, size, in, out, nil, fl&^fi.OpCompletion)
			if err == nil {
				c.e.forge(ctx, fl, fi.CompCollective, 0, 0)
			}
			return err
		}
		return c.Collectives.Collective(o, group, root, k, size, in, out, ctx, fl)
	})
}
