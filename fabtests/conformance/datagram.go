package conformance

import (
	"slices"

	"github.com/gofabric/gofabric/fi"
)

// In cells of datagram endpoints (FI_EP_DGRAM) a message may be lost, and then no completion tells. Cases run there that
// pace themselves: what they have on the way at a time finds a receive, or has room in the smallest buffer that a provider
// may have, and on one host that is not lost. What is lost beyond that is what the family dgram is about.

// datagrams tells whether the cell's endpoints are for datagrams.
func (s settings) datagrams() bool { return s.EP == fi.EPDgram }

// unpaced are the cases that make no sense there: they have thousands of messages wait, or ask to hear of a match. Nil
// are all cases of a family.
var unpaced = map[string][]string{
	"msg": {"burst", "window"}, "tagged": {"burst", "window"}, "match": {"deep", "random"}, "peek": nil, "oracle": nil,
	"concurrent": {"mixed-sizes", "one-endpoint", "many-endpoints"}, "fault": nil, "progress": nil,
	"cancel": {"send", "any-context", "race"}, "endpoint": {"alias", "default-flags"},
	"completion": {"match-complete", "match-complete-msg", "match-complete-default", "delivery-of-unexpected"},
}

// unpaced tells whether a case does not run on datagram endpoints.
func (tc *testCase) unpaced() bool {
	not, ok := unpaced[tc.family]
	return ok && (not == nil || slices.Contains(not, tc.name))
}

// fit gives lengths of messages as far as the cell's endpoints take them: longer ones become the longest.
func (t *test) fit(lens ...int) []int {
	if !t.cell.set.datagrams() {
		return lens
	}
	out := slices.Clone(lens)
	for i := range out {
		out[i] = min(out[i], t.cell.longest)
	}
	return out
}

// levels gives the flags of a send without those that the cell's endpoints do not serve: nobody tells that a datagram has
// come.
func (t *test) levels(f fi.OpFlags) fi.OpFlags {
	if t.cell.set.datagrams() {
		f &^= fi.OpDeliveryComplete | fi.OpMatchComplete
	}
	return f
}

// noData tells whether nothing travels beside a message.
func (s *side) noData() bool { return s.info.Domain.CQDataSize == 0 }
