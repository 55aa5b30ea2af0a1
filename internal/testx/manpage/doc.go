// Package manpage tests the manual pages of commands that are described by internal/cli.
//
// You need it in the tests of a command. It reads ../docs/man and runs groff where there is one; it is for one goroutine.
package manpage
