//go:build !unix

package osx

import "time"

// ProcessTime is the processor time that this process has used, of its own and in the kernel. Where the system does not
// tell it is -1.
func ProcessTime() time.Duration { return -1 }
