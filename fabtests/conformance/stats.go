package conformance

import "github.com/gofabric/gofabric/fi"

// slots are the kinds of operations that each counter slot counts.
var slots = [numCounters][]fi.OpKind{
	cntSend:        {fi.OpKindSend, fi.OpKindTSend, fi.OpKindCollective},
	cntRecv:        {fi.OpKindRecv, fi.OpKindTRecv},
	cntRead:        {fi.OpKindRead, fi.OpKindFetch},
	cntWrite:       {fi.OpKindWrite, fi.OpKindAtomic},
	cntRemoteRead:  {fi.OpKindRemoteRead},
	cntRemoteWrite: {fi.OpKindRemoteWrite},
}

// stats gives, by the slots of the counters, what the Stats of all endpoints say: successes or their bytes, and then errors.
func (n *node) stats() []uint64 {
	out := make([]uint64, 2*numCounters)
	for _, ep := range n.eps {
		s := ep.Stats()
		for i, kinds := range slots {
			for _, k := range kinds {
				if n.opts.Bytes {
					out[i] += s.Ops[k].Bytes
				} else {
					out[i] += s.Ops[k].Done
				}
				out[numCounters+i] += s.Ops[k].Failed
			}
		}
	}
	return out
}

// checkStats compares the Stats of endpoints with the counters, which are known to be right. What the library posts itself
// counts there and not here, so cases of that are left out.
func (s *side) checkStats(want []uint64) {
	switch s.t.tc.family {
	case "collective", "trigger", "triggered", "issue":
		return
	}
	got := s.do(&request{Verb: vStats}).Counts
	for i := range want {
		slot := i % numCounters
		if s.opts.Caps&fi.CapRMAEvent == 0 && (slot == cntRemoteRead || slot == cntRemoteWrite) || s.unseen && slot == cntRecv {
			continue
		}
		if got[i] != want[i] {
			s.t.Errorf("side %d: Stats of %v: %d, the counter has %d (errors: %v)", s.index, countFlags[slot], got[i], want[i], i >= numCounters)
		}
	}
}
