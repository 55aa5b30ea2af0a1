package cfabtests

import (
	"fmt"
	"os"
	"strings"
)

// The states of sockets that can be reached, as the tables have them.
var reachable = map[string]string{"tcp": "0A", "udp": "07"}

// Listening tells whether some process of this network namespace can be reached at a port of a network, tcp or udp.
func Listening(network string, port int) (bool, error) {
	end := fmt.Sprintf(":%04X", port)
	for _, table := range []string{"/proc/net/" + network, "/proc/net/" + network + "6"} {
		b, err := os.ReadFile(table)
		if err != nil && !strings.HasSuffix(table, "6") {
			return false, err
		}
		for line := range strings.Lines(string(b)) {
			if f := strings.Fields(line); len(f) > 3 && strings.HasSuffix(f[1], end) && f[3] == reachable[network] {
				return true, nil
			}
		}
	}
	return false, nil
}
