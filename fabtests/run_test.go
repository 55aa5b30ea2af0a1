package main

import "testing"

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
