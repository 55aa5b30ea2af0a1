// Package profile is a hook that counts calls and measures how long they take (ofi_hook_profile, fi_hook(7)):
//
//	FI_HOOK=profile go run .
//
// When a provider's last fabric closes, a table goes to standard error, or to the writer that a program gives to [New]:
// a line for each call and class of sizes with their number, bytes, share of all bytes, failures, and the times within
// which half and 99 % of them were done. [Provider.Report] writes it at any time.
//
// The time of an operation is that from the call to its completion; of one that reports nothing, that of the call. A
// receive counts when it completes, with the bytes that came; one in a multi-receive buffer has no time. Times are
// rounded by up to 12 %.
//
// It is safe for concurrent use. It reads no environment variables of its own.
package profile
