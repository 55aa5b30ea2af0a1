//go:build !linux

package lnx

import "os"

// hostMarks are the name of the machine: elsewhere than on Linux there are no links that stay within it.
func hostMarks() []string {
	name, _ := os.Hostname() //nolint:errcheck // the same for all, then
	return []string{name}
}
