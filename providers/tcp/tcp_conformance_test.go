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

// loopback is the provider on this host's own interface. What can be reached is, on a machine that stops for a while, too:
// no case waits for the end of this time to connect.
func loopback() *tcp.Provider { return loopbackEnv(nil) }

func loopbackEnv(env map[string]string) *tcp.Provider {
	own := map[string]string{"FI_TCP_IFACE": "127.0.0.1"}
	maps.Copy(own, env)
	return tcp.NewEnv(func(k string) (string, bool) {
		if v, ok := own[k]; ok {
			return v, true
		}
		if v, ok := os.LookupEnv(k); ok || k != "FI_TCP_CONNECT_TIMEOUT" {
			return v, ok
		}
		return "30000", true
	})
}

// faultCases end a peer and call it again, where nobody listens any more.
var faultCases = regexp.MustCompile(`^[^/]*/(fault/|collective/member-ends$)`)

func TestConformance(t *testing.T) {
	conformance.RunBoth(t, conformance.Harness{Provider: loopback(), Only: func(path string) bool { return !faultCases.MatchString(path) }})
	t.Run("faults", func(t *testing.T) {
		t.Setenv("FI_TCP_CONNECT_TIMEOUT", "300") // of the second processes, too
		conformance.Run(t, conformance.Harness{Provider: loopback(), Pair: conformance.TwoProcess, Only: faultCases.MatchString})
	})
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
	for _, faults := range []bool{false, true} {
		env := map[string]string{"FI_TCP_PORTABLE": "1"}
		if faults {
			env["FI_TCP_CONNECT_TIMEOUT"] = "300"
		}
		conformance.Run(t, conformance.Harness{Provider: loopbackEnv(env), Pair: conformance.InProcess,
			Only: func(path string) bool { return only.MatchString(path) && faultCases.MatchString(path) == faults }})
	}
}
