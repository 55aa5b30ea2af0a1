package profile

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/gofabric/gofabric/providers/hook/wrap"
)

// report writes the table.
func (p *profiler) report(w io.Writer) error {
	p.mu.Lock()
	began := p.began
	p.mu.Unlock()
	total := uint64(0)
	p.each(func(_ wrap.API, _ int, c *cell) { total += c.bytes.Load() })
	if _, err := fmt.Fprintf(w, "profile of %s, %v\n", p.name, time.Since(began).Round(time.Millisecond)); err != nil {
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "call\tsize\tcount\tbytes\tshare\tagain\tfailed\tp50\tp99\t") //nolint:errcheck // Flush tells
	p.each(func(a wrap.API, bucket int, c *cell) {
		size, bytes, share := "", "", ""
		if a.IsOp() {
			n := c.bytes.Load()
			size, bytes, share = wrap.BucketName(bucket), fmt.Sprint(n), fmt.Sprintf("%.1f %%", 100*float64(n)/float64(max(total, 1)))
		}
		fmt.Fprintf(t, "%v\t%s\t%d\t%s\t%s\t%d\t%d\t%s\t%s\t\n", a, size, c.count.Load(), bytes, share, c.again.Load(), c.failed.Load(), //nolint:errcheck // Flush tells
			c.times.quantile(0.5), c.times.quantile(0.99))
	})
	return t.Flush()
}

// each gives the cells in which something was counted, in the order of the calls.
func (p *profiler) each(f func(a wrap.API, bucket int, c *cell)) {
	for a := range p.cells {
		for b := range p.cells[a] {
			if c := p.cells[a][b].Load(); c != nil {
				f(wrap.API(a), b, c)
			}
		}
	}
}
