package unit

import (
	"fmt"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fi"
)

// mostCounters is how many are opened at most.
const mostCounters = 100

func runCounter(env *scenario.Env) error {
	return program(env, "CNTRS", func(x *objects) []test {
		return []test{{"cntr_loop", "Test counter open/set/read/close operations", func() error {
			return cntrLoop(x.domain, min(x.info.Domain.CounterCount, mostCounters))
		}}}
	})
}

func cntrLoop(d *fabric.Domain, n int) error {
	var open []*fabric.Counter
	defer func() {
		for _, c := range open {
			c.Close() //nolint:errcheck // closed below when all went well
		}
	}()
	for range n {
		c, err := d.OpenCounter(&fi.CounterAttr{})
		if err != nil {
			return fmt.Errorf("fi_cntr_open failed after %d: %w", len(open), err)
		}
		open = append(open, c)
	}
	for i, c := range open {
		c.Set(uint64(i))
		c.SetErr(uint64(2 * i))
	}
	for i, c := range open {
		c.Add(uint64(i))
		c.AddErr(uint64(i))
	}
	for i, c := range open {
		if got := c.Read(); got != uint64(2*i) {
			return fmt.Errorf("fi_cntr_read: %d, expected %d", got, 2*i)
		}
		if got := c.ReadErr(); got != uint64(3*i) {
			return fmt.Errorf("fi_cntr_readerr: %d, expected %d", got, 3*i)
		}
	}
	for _, c := range open {
		if err := c.Close(); err != nil {
			return fmt.Errorf("fi_cntr_close: %w", err)
		}
	}
	return nil
}
