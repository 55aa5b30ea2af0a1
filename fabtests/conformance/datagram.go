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
	"msg": {"burst", "window", "many-peers"}, "tagged": {"burst", "window", "many-peers"}, "match": {"deep", "random"}, "peek": nil, "oracle": nil, "shared-send": nil,
	"concurrent": {"mixed-sizes", "one-endpoint", "many-endpoints"}, "fault": nil, "progress": nil,
	"issue": {"refused", "cancel", "close"}, "triggered": {"cancel"}, "cancel": {"send", "any-context", "race"}, "endpoint": {"alias", "default-flags", "peer-closes", "close-with-sends"},
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

// shares tells whether there are shared receive contexts.
func (s *side) shares() bool { return s.info.Domain.MaxEPSrxCtx > 0 }

// sharesTx tells whether there are shared transmit contexts.
func (s *side) sharesTx() bool { return s.info.Domain.MaxEPStxCtx > 0 }

// noData tells whether nothing travels beside a message.
func (s *side) noData() bool { return s.info.Domain.CQDataSize == 0 }

// untagged are the families whose cases do with messages, too, where there are no tagged ones: they use tags for nothing but
// to send something; and the cases of them that need tags.
var untagged = map[string][]string{
	"av": {}, "source": {}, "counter": {}, "cq": {"formats", "one-queue", "all", "overrun"},
	"wait":   {"cancel-loses-nothing", "many-readers", "close-while-waiting"},
	"cancel": {"oldest-of-a-context"}, "completion": {"selective", "contexts", "data"}, "endpoint": {"alias-refused"}, "wrong": {}, "issue": {},
}

// untags tells whether a case does its tagged calls by untagged ones in the cell.
func (c *cell) untags(tc *testCase) bool {
	not, ok := untagged[tc.family]
	return ok && c.set.datagrams() && tc.need&tagged != 0 && c.offered&tagged == 0 && !slices.Contains(not, tc.name)
}

// needs is what a case needs in the cell.
func (c *cell) needs(tc *testCase) fi.Caps {
	if c.untags(tc) {
		return tc.need&^tagged | msg
	}
	return tc.need
}

// trecv, tsend and tinject are the calls of that name, or the untagged ones.
func (n *node) trecv(buf []byte, from fi.Addr, tag, ignore uint64, ctx any) error {
	if n.info.Caps&tagged == 0 {
		return n.eps[0].Recv(buf, from, ctx)
	}
	return n.eps[0].TRecv(buf, from, tag, ignore, ctx)
}

func (n *node) tsend(buf []byte, to fi.Addr, tag uint64, ctx any) error {
	if n.info.Caps&tagged == 0 {
		return n.eps[0].Send(buf, to, ctx)
	}
	return n.eps[0].TSend(buf, to, tag, ctx)
}

func (n *node) tinject(buf []byte, to fi.Addr, tag uint64) error {
	if n.info.Caps&tagged == 0 {
		return n.eps[0].Inject(buf, to)
	}
	return n.eps[0].TInject(buf, to, tag)
}

// tag is what completions show of a tag.
func (n *node) tag(v uint64) uint64 {
	if n.info.Caps&tagged == 0 {
		return 0
	}
	return v
}
