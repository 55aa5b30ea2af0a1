// Package monitor is a hook that counts calls by size and shows the counts to other processes of the user while the
// program runs (ofi_hook_monitor, fi_hook(7)):
//
//	FI_HOOK=monitor go run . &
//	fabtests mon
//
// The figures are files in a folder of the user's own, which FI_OFI_HOOK_MONITOR_BASEPATH names; they are written a few
// times a second while there is news, and removed when the provider's last fabric closes. What a process that was killed
// has left is removed by whoever looks next. Without the folder, the program runs all the same, and the log has a
// warning.
//
// Operations count when they are accepted, receives when they complete, with the bytes that came. A program can read its
// own figures with [Provider.Counts].
//
// It is safe for concurrent use.
package monitor
