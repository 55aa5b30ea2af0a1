package tcp

import (
	"net/netip"
	"testing"
	"time"
)

// TestRefusals has a scanner knock: there is a line at first, and then one in a while with the number of the others.
func TestRefusals(t *testing.T) {
	var r refusals
	now := time.Now()
	from := netip.MustParseAddrPort("192.0.2.1:9")
	if r.line(now, from, "why") == nil {
		t.Error("no line at first")
	}
	for range 5 {
		if r.line(now.Add(refusalPause-1), from, "why") != nil {
			t.Error("a line soon after another one")
		}
	}
	if r.more != 5 {
		t.Errorf("%d are counted, want 5", r.more)
	}
	if r.line(now.Add(refusalPause), from, "why") == nil || r.more != 0 {
		t.Errorf("no line after a while, or %d are counted", r.more)
	}
}
