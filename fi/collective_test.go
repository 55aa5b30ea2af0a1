package fi

import "testing"

// TestAVSetServes: a set without flags of operations is for all of them, one with such flags for these.
func TestAVSetServes(t *testing.T) {
	for o := CollBarrier; o <= CollGather; o++ {
		if !AVSetFlags(0).Serves(o) || !AVSetUniverse.Serves(o) {
			t.Errorf("%v is not served by a set without a restriction", o)
		}
		if got, want := (AVSetUniverse | AVSetReduce).Serves(o), o == CollReduce; got != want {
			t.Errorf("%v of a set for FI_REDUCE: %v, want %v", o, got, want)
		}
	}
	if AVSetFlags(0).Serves(-1) || AVSetFlags(0).Serves(CollGather+1) {
		t.Error("what is no collective is served")
	}
}
