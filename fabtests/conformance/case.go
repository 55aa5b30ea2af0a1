package conformance

import (
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/osx"
)

// testCase is one case of the suite.
type testCase struct {
	family, name string
	need         fi.Caps // what the provider must offer for the case to mean something
	lacks        fi.Caps // what it must not offer
	kind         kind
	where        where
	connected    bool // about connections: only in cells of connected endpoints
	tapped       bool // it looks behind package fabric; its sides live here
	datagrams    bool // about what may be lost: only in cells of datagram endpoints
	run          func(t *test)
}

// kind says in which cells a case runs.
type kind int

const (
	normal  kind = iota // in the standard cell; with -conformance.long in all of the quick matrix
	core                // in all cells
	threads             // as normal, where several goroutines may call
)

// full tells whether more than the core runs in a cell: everything in the standard one, and all remote accesses where
// memory can be mapped.
func (c *cell) full(tc *testCase) bool {
	mapped := c.set.standard()
	mapped.Alloc = true
	return c.standard || c.mapping && c.set == mapped && tc.need&(rma|atom) != 0
}

// where says where the sides of a case live.
type where int

const (
	anywhere where = iota // where the harness says
	local                 // in this process
	faulty                // in processes that the case kills; only with TwoProcess
)

// here tells whether the case means something in this build: the race detector allocates.
func (tc *testCase) here() bool { return tc.family != "alloc" || !osx.RaceEnabled }

var allCases []*testCase

// add registers cases; the files of the families call it when the package is initialised, in the order of their names.
func add(family string, cases ...testCase) struct{} {
	for i := range cases {
		cases[i].family = family
		allCases = append(allCases, &cases[i])
	}
	return struct{}{}
}

// Groups of operations.
const (
	msg    = fi.CapMsg
	tagged = fi.CapTagged
	rma    = fi.CapRMA
	atom   = fi.CapAtomic
	colls  = fi.CapCollective
)
