package lnx_test

import (
	"regexp"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/gofabric/gofabric/fabtests/conformance"
)

func TestMain(m *testing.M) { conformance.Main(m, linked(nil)) }

// known is what an endpoint over several links does otherwise.
var known = map[string]string{
	"source/unknown-is-an-error": "a sender that is not in the vector is known by its address on the link that its message came by",
}

// faultCases kill a peer and call it again, where nobody listens any more.
var faultCases = regexp.MustCompile(`^[^/]*/fault/`)

// TestConformance runs the suite with all peers on this host: shm.
func TestConformance(t *testing.T) {
	conformance.Run(t, conformance.Harness{Provider: linked(nil), Pair: conformance.InProcess, Known: known})
}

// TestOtherHosts runs it with each domain as a host of its own: tcp.
func TestOtherHosts(t *testing.T) {
	var hosts atomic.Int64
	own := map[string]func() string{"FI_LNX_HOST": func() string { return strconv.FormatInt(hosts.Add(1), 10) }}
	conformance.Run(t, conformance.Harness{Provider: linkedBy(nil, own), Pair: conformance.InProcess, Known: known})
}
