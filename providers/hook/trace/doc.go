// Package trace is a hook that tells every call with its arguments and its result, and every completion
// (ofi_hook_trace, fi_hook(7)):
//
//	FI_HOOK=trace FI_LOG_LEVEL=trace go run .
//
//	trace ofi_hook_trace:ep_data: fi_tsend(ep 1, 64 bytes, peer 0, tag 0x7, context 0xc0000140a8, FI_COMPLETION) = 0, operation 17
//	trace ofi_hook_trace:ep_data: operation 17 (fi_tsend, ep 1) completed: FI_TAGGED, FI_SEND, 64 bytes, context 0xc0000140a8, after 1.2µs
//
// Lines go to the log at level trace, with the provider's name for FI_LOG_PROV and FI_LOG_SUBSYS to choose by, or to a
// writer that a program gives to [New]. They are written in the order in which things happened, those of completions by
// another goroutine; closing the fabric waits for them. Bytes of messages are not shown.
//
// It is safe for concurrent use. It reads no environment variables of its own.
package trace
