// Package serial compares every collective with what one processor computes that does one member after the other: for tests
// of providers and for the commands that test them.
//
//	c := serial.Caller{EP: ep, Group: mc.Addr(), Rank: rank, Addrs: addrs, Wait: wait}
//	err := c.Everything()
//
// All members of a group make the same calls, each with a Caller of its own, which belongs to one goroutine. Buffers are
// the package's own. It does not open endpoints, join groups or read completions, and reads no environment variables.
package serial
