package perf

// Best collects the rows of several starts and keeps, of each name and size, the fastest, with the latencies of all.
type Best struct {
	rows []Row
	at   map[bestKey]int
}

type bestKey struct {
	name string
	size int
}

// Add takes a row.
func (b *Best) Add(r Row) {
	if b.at == nil {
		b.at = make(map[bestKey]int)
	}
	k := bestKey{r.Name, r.Size}
	i, seen := b.at[k]
	if seen && r.Latencies != nil && b.rows[i].Latencies != nil {
		b.rows[i].Latencies.Add(r.Latencies)
		r.Latencies = b.rows[i].Latencies
	}
	switch {
	case !seen:
		b.at[k] = len(b.rows)
		b.rows = append(b.rows, r)
	case r.better(b.rows[i]):
		b.rows[i] = r
	}
}

// Rows gives the fastest rows in the order in which their sizes were first seen.
func (b *Best) Rows() []Row { return b.rows }
