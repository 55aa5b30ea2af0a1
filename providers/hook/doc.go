// Package hook makes the hooks known that stand before every provider of a program, for the variable FI_HOOK to choose
// among (fi_hook(7)). Package providers/all imports it; a program that imports single providers does so itself:
//
//	import (
//		_ "github.com/gofabric/gofabric/providers/hook"
//		_ "github.com/gofabric/gofabric/providers/tcp"
//	)
//
//	FI_HOOK=check go run .
//	FI_HOOK="trace;profile" FI_LOG_LEVEL=trace go run .
//
// FI_HOOK is a list with semicolons or commas; the last one is next to the program. It is read once, when the default
// registry is first asked. A name that is none is an error of GetInfo, with the name that was probably meant.
//
//	trace     each call with its arguments and its result, and each completion, to the log
//	profile   a table of calls by size with their times, to standard error when the last fabric closes
//	monitor   counts by call and size, for fabtests mon to show while the program runs
//	check     what a program does against the rules, with the places in its source, to standard error
//
// A provider with hooks has the name, the offers and the abilities that it has without. With FI_HOOK not set, nothing
// stands before anything, and nothing costs.
//
// Programs and tests can put one of them before a provider by themselves: each has a package below this one. Those who
// want another one begin with package wrap; package chaos has providers that misbehave on purpose, for tests.
package hook
