// Package all links the default set of providers into a program. One imports it for that effect only:
//
//	import _ "github.com/gofabric/gofabric/providers/all"
//
// The set is what the system supports: mem, tcp, udp and lnx everywhere, and shm on Linux; with the hooks that FI_HOOK names.
// A program that wants less imports the packages below providers one by one. What each provider of the set finds on the
// machine, and why others are missing, is told by fi_info --explain.
package all
