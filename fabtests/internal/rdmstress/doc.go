// Package rdmstress is rdm_stress: a server that does what its clients ask for (send, read from them, write to them), and
// clients that run a script and may leave at any moment, without a word. Messages are those of libfabric's program.
//
// The server works with many goroutines on one endpoint and one completion queue. Each client is a process, or, over a
// provider that reaches its own process only, a goroutine.
package rdmstress
