package cfabtests

import (
	"fmt"
	"os"
	"strings"
)

// Listening tells whether some process of this network namespace listens at a TCP port.
func Listening(port int) (bool, error) {
	end := fmt.Sprintf(":%04X", port)
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		b, err := os.ReadFile(table)
		if err != nil && table == "/proc/net/tcp" {
			return false, err
		}
		for line := range strings.Lines(string(b)) {
			if f := strings.Fields(line); len(f) > 3 && strings.HasSuffix(f[1], end) && f[3] == "0A" {
				return true, nil
			}
		}
	}
	return false, nil
}
