package freeport

import (
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"strings"
)

// Ports below the ones that systems give to whoever asks for none are tried: a port of those may go to a connection of
// anybody between the moment it is found and the one in which the server binds it.
const (
	lowest    = 10000
	ephemeral = 32768 // where no system says otherwise, the first that it gives away
	attempts  = 100
)

// Find gives a port that nobody uses on this machine, neither with TCP nor with UDP. Where there is no network at all, any
// number will do.
func Find() string {
	n := 0
	for range attempts {
		n = lowest + rand.IntN(end()-lowest)
		if free(n) {
			break
		}
	}
	return strconv.Itoa(n)
}

// end is the first port that the system gives away.
func end() int {
	b, _ := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range") // Linux has it
	if f := strings.Fields(string(b)); len(f) == 2 {
		if n, err := strconv.Atoi(f[0]); err == nil && n > lowest+attempts {
			return n
		}
	}
	return ephemeral
}

func free(port int) bool {
	at := ":" + strconv.Itoa(port)
	l, err := net.Listen("tcp", at)
	if err != nil {
		return false
	}
	defer l.Close() //nolint:errcheck // only its number is wanted
	u, err := net.ListenPacket("udp", at)
	if err != nil {
		return false
	}
	_ = u.Close()
	return true
}
