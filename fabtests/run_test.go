package main

import (
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
)

// TestCongestion names the control that is in effect.
func TestCongestion(t *testing.T) {
	for _, c := range []struct {
		system, set string
		near        bool
		want        string
	}{
		{"bbr", "", true, "reno (within this host, in place of bbr)"},
		{"bbr", "", false, "bbr"},
		{"cubic", "", true, "cubic"},
		{"bbr", "system", true, "bbr"},
		{"bbr", "cubic", true, "cubic (FI_TCP_CONGESTION, in place of bbr)"},
		{"reno", "reno", false, "reno"},
		{"", "reno", true, ""},
	} {
		if got := congestion(c.system, c.set, c.near); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// TestRoadIsAFactOfShm: another provider has no roads, and a figure of it does not depend on one.
func TestRoadIsAFactOfShm(t *testing.T) {
	o := options.New()
	o.Road = "cma"
	s := &scenario.Scenario{}
	if got := settings(s, o, "shm", 1); !strings.Contains(got, "road cma") {
		t.Errorf("shm: %q, want the road", got)
	}
	if got := settings(s, o, "tcp", 1); strings.Contains(got, "road") {
		t.Errorf("tcp: %q, want no road", got)
	}
}
