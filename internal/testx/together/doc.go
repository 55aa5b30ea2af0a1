// Package together is endpoints in one process that do collectives, for tests of providers and of package fabric: what all
// of them must do alike. [Open] makes them, each in a domain of its own, and [Everything] compares every collective with
// what one processor computes.
//
//	ms := together.Open(t, mem.New(), 5, together.Options{})
//	together.Everything(t, ms)
//
// A Member belongs to one goroutine. The package reads no environment variables.
package together
