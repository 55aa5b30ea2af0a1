package lnx_test

import (
	"flag"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gofabric/gofabric/fabtests/conformance"
)

func TestMain(m *testing.M) { conformance.Main(m, linked(nil)) }

// known is what an endpoint over several links does otherwise.
var known = map[string]string{
	"source/unknown-is-an-error": "a sender that is not in the vector is known by its address on the link that its message came by",
}

// faultCases end a peer and call it again, where nobody listens any more.
var faultCases = regexp.MustCompile(`^[^/]*/(fault/|collective/member-ends$)`)

var everything = flag.Bool("everything", false, "run all of the suite, not a part: what the links do is tested with them")

// quickCells and slowCases are what is run, and of that left out, without -everything.
var (
	quickCells = regexp.MustCompile(`^rdm(,threading=domain,progress=manual)?/`)
	slowCases  = regexp.MustCompile(`/(fence/close|endpoint/close-with-sends|linear/.*|concurrent/.*|oracle/.*|promise/every-info-opens)$`)
)

func quiet(path string) bool {
	return !faultCases.MatchString(path) && (*everything || quickCells.MatchString(path) && !slowCases.MatchString(path))
}

// TestConformance runs the suite with all peers on this host: shm.
func TestConformance(t *testing.T) {
	t.Setenv("FI_SHM_CONNECT_TIMEOUT", "1500") // who is there has twenty times that: the machine may stand still
	conformance.RunBoth(t, conformance.Harness{Provider: linked(nil), Known: known, Only: quiet})
	if !*everything {
		return
	}
	t.Run("faults", func(t *testing.T) {
		t.Setenv("FI_SHM_CONNECT_TIMEOUT", "500")
		t.Setenv("FI_TCP_CONNECT_TIMEOUT", "300")
		conformance.Run(t, conformance.Harness{Provider: linked(nil), Known: known, Pair: conformance.TwoProcess, Only: faultCases.MatchString})
	})
}

// TestOtherHosts runs it with each domain as a host of its own: tcp.
func TestOtherHosts(t *testing.T) {
	var hosts atomic.Int64
	own := map[string]func() string{"FI_LNX_HOST": func() string { return strconv.FormatInt(hosts.Add(1), 10) }}
	conformance.Run(t, conformance.Harness{Provider: linkedBy(nil, own), Pair: conformance.InProcess, Known: known, Only: func(path string) bool {
		return quiet(path) && (*everything || strings.HasPrefix(path, "rdm/"))
	}})
}
