// Package check is a hook that watches whether a program keeps to the rules, and says where it does not (libfabric's
// hook_debug, and more; fi_hook(7)):
//
//	FI_HOOK=check go run .
//
//	check: main.go:44: context reused while operation 17 is in flight (posted at main.go:31): give each operation a
//	context of its own until its completion is there
//
// What it finds, each once for a place of the program:
//
//	context       a context is given to an operation while another one with it is in flight
//	overlap       a buffer is posted that an operation in flight is to fill, or is to be filled while one sends it
//	changed       a buffer was changed between the call that sends it and the completion
//	close         an endpoint is closed while operations that it has begun are in flight; receives may be
//	bind          Enable finds something not bound, or an operation is posted of whose end nothing would tell
//	undrained     completions fill a queue that nobody reads
//	mr            a region is closed while an operation in flight uses it: by its descriptor, or as the target of a remote
//	              access from this process
//
// An operation is in flight from its call to its completion, also where the application asked for none. Buffers of
// operations with FI_INJECT are the application's when the call returns, and are left alone. Of buffers longer than 8 KiB
// some parts are compared. Programs that use one context for many operations on purpose, which FI_CONTEXT does not forbid
// where the Info has not that mode, may live with the first kind of report; each has its kind.
//
// Reports go to the log at level warn, to standard error when FI_HOOK has chosen the hook, and to the function that a
// program gives to [New]. They come from another goroutine where the domain's lock was held; closing the fabric waits for
// them.
//
// It is safe for concurrent use. It reads no environment variables of its own.
package check
