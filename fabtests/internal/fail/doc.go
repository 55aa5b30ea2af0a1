// Package fail turns errors of the fabric into what fabtests programs print and exit with: "call(): file:line, ret=-N
// (text)", and the error number as exit status.
//
//	if err := ep.Enable(); err != nil {
//		return fail.Call("fi_enable", err)
//	}
//
// All functions may be called by several goroutines.
package fail
