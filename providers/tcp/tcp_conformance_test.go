package tcp_test

import (
	"flag"
	"maps"
	"os"
	"regexp"
	"testing"

	"github.com/gofabric/gofabric/fabtests/conformance"
	"github.com/gofabric/gofabric/providers/tcp"
)

func TestMain(m *testing.M) {
	conformance.Main(m, loopback())
}

// loopback is the provider on this host's own interface; addresses at which nobody listens are given up soon, for many
// cases kill a peer and call it again.
func loopback() *tcp.Provider { return loopbackEnv(nil) }

func loopbackEnv(env map[string]string) *tcp.Provider {
	own := map[string]string{"FI_TCP_IFACE": "127.0.0.1", "FI_TCP_CONNECT_TIMEOUT": "300"}
	maps.Copy(own, env)
	return tcp.NewEnv(func(k string) (string, bool) {
		if v, ok := own[k]; ok {
			return v, true
		}
		return os.LookupEnv(k)
	})
}

func TestConformance(t *testing.T) {
	for name, pair := range map[string]conformance.PairKind{"one-process": conformance.InProcess, "two-processes": conformance.TwoProcess} {
		t.Run(name, func(t *testing.T) {
			conformance.Run(t, conformance.Harness{Provider: loopback(), Pair: pair})
		})
	}
}

// plainCases are those in which nothing is asked that C's protocol does not have.
var plainCases = regexp.MustCompile(`^(rdm/(tagged/(sizes|vectors|unexpected|burst|truncation|self|both-ways|order-of-sizes|window|many-peers)|` +
	`multi-recv/|source/|directed/|cq/|wait/)|msg/(connect/|eq/|msg/(sizes|vectors|unexpected|burst|truncation|both-ways|order-of-sizes|window)))`)

// TestPlain runs the suite without the extension, as towards C's tcp.
func TestPlain(t *testing.T) {
	for name, env := range map[string]map[string]string{
		"eager":      {"FI_TCP_EXTENSION": "0"},
		"rendezvous": {"FI_TCP_EXTENSION": "0", "FI_TCP_MAX_SAVED_SIZE": "4096"},
	} {
		t.Run(name, func(t *testing.T) {
			conformance.Run(t, conformance.Harness{Provider: loopbackEnv(env), Pair: conformance.InProcess, Only: plainCases.MatchString})
		})
	}
}

// TestIPv6 runs what moves data and what connects over IPv6.
func TestIPv6(t *testing.T) {
	env := map[string]string{"FI_TCP_IFACE": "::1"}
	only := regexp.MustCompile(`^(rdm/(tagged/(sizes|unexpected|self|both-ways|many-peers)|source/|av/|rma/sizes|atomic/matrix)|msg/(connect/|eq/|msg/(sizes|both-ways)))`)
	conformance.Run(t, conformance.Harness{Provider: loopbackEnv(env), Pair: conformance.InProcess, Only: only.MatchString})
}

var portable = flag.Bool("portable", false, "run all of the suite with what systems without epoll use, not a part")

// portableCells are enough of the matrix: what differs is below it.
var portableCells = regexp.MustCompile(`^((rdm|msg)|rdm,progress=manual|msg,threading=domain,progress=manual[^/]*)/([^a]|a[^l])`)

// TestPortable runs the suite with what systems without epoll use. It is not free of allocations, and with one processor,
// as such cases are measured, each message waits for the scheduler.
func TestPortable(t *testing.T) {
	only := plainCases
	if *portable {
		only = portableCells
	}
	conformance.Run(t, conformance.Harness{Provider: loopbackEnv(map[string]string{"FI_TCP_PORTABLE": "1", "FI_TCP_CONNECT_TIMEOUT": "2000"}), Pair: conformance.InProcess,
		Only: only.MatchString})
}
