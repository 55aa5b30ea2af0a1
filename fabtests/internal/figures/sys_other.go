//go:build !unix

package figures

import "time"

// cpuTime would be the processor time of this process; -1 says that it is not known.
func cpuTime() time.Duration { return -1 }
