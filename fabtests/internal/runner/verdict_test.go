package runner

import (
	"strings"
	"testing"
	"time"
)

// TestJudge goes through what statuses, times and offers may say together.
func TestJudge(t *testing.T) {
	two := func(server, client int) []Ended {
		return []Ended{{Who: "server", Status: server}, {Who: "client", Status: client}}
	}
	offered, not := offer{known: true, has: true, ask: "fi_info -p x"}, offer{known: true, ask: "fi_info -p x"}
	for _, c := range []struct {
		name     string
		negative bool
		sides    []Ended
		limit    time.Duration
		offer    offer
		strict   bool
		want     Verdict
		reason   string // a part of it
	}{
		{"both well", false, two(0, 0), 0, offered, false, Pass, ""},
		{"nobody knows", false, two(0, 0), 0, offer{}, false, Pass, ""},
		{"works without an offer", false, two(0, 0), 0, not, false, Fail, "does not offer it: fi_info -p x"},
		{"both say no data", false, two(61, 61), 0, not, false, NotRun, "61 (FI_ENODATA)"},
		{"both say no call", false, two(38, 38), 0, not, false, NotRun, "38 (FI_ENOSYS)"},
		{"the server alone came so far", false, two(61, 0)[:1], 0, not, false, NotRun, "the server"},
		{"on another host nobody knows", false, two(61, 61), 0, offer{}, false, NotRun, ""},
		{"no data although it is offered", false, two(61, 61), 0, offered, false, Fail, "but the provider offers it: fi_info -p x"},
		{"no data, and strict", false, two(61, 61), 0, not, true, Fail, "-S"},
		{"one has no data", false, two(61, 0), 0, not, false, Fail, "the other side succeeded"},
		{"C has no data", false, []Ended{{Who: "server", Status: 61, Foreign: true}, {Who: "client", Stopped: true}}, 0, offered, false, NotRun, "the server"},
		{"the client fails", false, two(0, 5), 0, offered, false, Fail, "the client ended with status 5 (FI_EIO)"},
		{"an error beside no data", false, two(61, 5), 0, not, false, Fail, "the client ended with status 5"},
		{"the other has no data, and goes", false, two(61, 104), 0, not, false, NotRun, "the server ended with status 61"},
		{"the other has no data, and goes, of what is offered", false, two(61, 104), 0, offered, false, Fail, "the client ended with status 104"},
		{"the other goes", false, two(0, 104), 0, not, false, Fail, "the client ended with status 104"},
		{"a signal", false, two(-1, 0), 0, offered, false, Fail, "the server ended with status of a signal"},
		{"the server is ended after its client failed", false, []Ended{{Who: "server", Stopped: true, Status: 130}, {Who: "client", Status: 5}}, 0, offered, false, Fail, "the client"},
		{"the server does not end", false, []Ended{{Who: "server", Stopped: true}, {Who: "client"}}, 3 * time.Second, offered, false, Fail, "the server did not end within 3s (-T)"},
		{"a program that is not there", false, []Ended{{Who: "client", Lost: "no such file"}}, 0, offered, false, Fail, "did not come to its end: no such file"},
		{"a bad host as it should be", true, []Ended{{Status: 61}}, 0, offer{}, false, Pass, ""},
		{"a bad host that works", true, []Ended{{Status: 0}}, 0, offer{}, false, Fail, "succeeded with a host that does not exist"},
		{"a bad host, otherwise", true, []Ended{{Status: 111}}, 0, offer{}, false, Fail, "status 111 (FI_ECONNREFUSED), not 61"},
	} {
		v, reason := judge(&Test{Negative: c.negative}, c.sides, c.limit, c.offer, c.strict)
		if v != c.want || !strings.Contains(reason, c.reason) || v == Fail && reason == "" {
			t.Errorf("%s: %s, %q; want %s, %q", c.name, v, reason, c.want, c.reason)
		}
	}
}

// TestTotals counts, and gives a percentage of what ran.
func TestTotals(t *testing.T) {
	var n Totals
	if n.Percent() != 0 {
		t.Error("nothing ran, and something passed")
	}
	for _, v := range []Verdict{Pass, Pass, Fail, NotRun, Excluded, Excluded, Absent} {
		n.Add(v)
	}
	if n != (Totals{Pass: 2, Fail: 1, NotRun: 1, Excluded: 2}) || n.Percent() != 66 {
		t.Errorf("%+v, %d", n, n.Percent())
	}
	if got := n.Plus(n).String(); got != "4 passed, 2 failed, 2 not run, 4 excluded" {
		t.Error(got)
	}
}
