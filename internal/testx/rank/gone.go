package rank

import (
	"os"
	"strings"
	"time"
)

// Gone waits until a process that was killed has ended, as a zombie at least, for five seconds at most. Linux only.
func Gone(pid string) bool {
	for range 1000 {
		b, err := os.ReadFile("/proc/" + pid + "/stat")
		if err != nil || strings.Contains(string(b), ") Z ") {
			return true
		}
		time.Sleep(5 * time.Millisecond) // sleep: nobody tells of the end of a process that is not a child
	}
	return false
}
