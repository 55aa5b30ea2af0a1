package runner

import "testing"

// TestSaid: the last error of the side that failed, not of one that was stopped, that went well or that only noticed.
func TestSaid(t *testing.T) {
	text := func(s string) string { return "x\nfabtests: early\nfabtests: " + s + "\n  try: again\n" }
	for want, sides := range map[string][]Ended{
		"client": {{Who: "server", Status: -1, Stopped: true, Output: text("server")}, {Who: "client", Status: 5, Output: text("client")}},
		"server": {{Who: "server", Status: 1, Output: text("server")}, {Who: "client", Status: 61, Output: text("client")}},
		"both":   {{Status: 5, Output: "server: fabtests: both\r\n"}},
		"rank":   {{Status: 5, Output: "rank 2: fabtests: rank\n"}},
		"limit":  {{Who: "server", Status: 0, Output: text("no")}, {Who: "client", Status: -1, Stopped: true, Output: text("limit")}},
		"":       {{Status: 0, Output: text("no")}, {Status: 7, Output: "not fabtests: at its beginning\n"}},
	} {
		if got := said(sides); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
