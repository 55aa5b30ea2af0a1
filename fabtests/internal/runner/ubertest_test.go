package runner

import (
	"strings"
	"testing"
	"time"
)

// TestJudgeTests goes through what the counts and the statuses of a test that is many may say.
func TestJudgeTests(t *testing.T) {
	lines := func(success, noData, noSys, eio, other string) string {
		return "Ending test 1 / 9, result: Success\nSuccess: " + success + "\nSkipped: 3\nENODATA: " + noData + "\nENOSYS : " + noSys + "\nEIO    : " + eio + "\nERROR  : " + other + "\n"
	}
	all := lines("9", "0", "0", "0", "0")
	two := func(server, client int, out string) []Ended {
		return []Ended{{Who: "server", Status: server, Output: lines("1", "2", "3", "4", "5")}, {Who: "client", Status: client, Output: out}}
	}
	for _, c := range []struct {
		name   string
		sides  []Ended
		limit  time.Duration
		strict bool
		want   string
		reason string
	}{
		{"all well", two(0, 0, all), 0, false, "Pass [9/9]", ""},
		{"one process", []Ended{{Output: "server: Success: 7\nserver: ERROR  : 2\n" + all}}, 0, false, "Pass [9/9]", ""},
		{"no data", two(61, 61, lines("7", "2", "0", "0", "0")), 0, false, "Fail [2/9]", "2 tests failed, and the client ended with status 61 (FI_ENODATA)"},
		{"errors and a status of C's", two(0, 0, lines("6", "0", "1", "0", "2")), 0, false, "Fail [3/9]", "3 tests failed"},
		{"wrong data", two(5, 5, lines("8", "0", "0", "1", "0")), 0, false, "Fail [1/9]", "1 tests failed, and the client"},
		{"a server that fails", two(5, 0, all), 0, false, "Fail [0/9]", "the server ended with status 5 (FI_EIO)"},
		{"a configuration that is none", two(0, 1, ""), 0, false, "Notrun", "the client ended with status 1"},
		{"the same, strictly", two(0, 1, ""), 0, true, "Fail", "the client ended with status 1"},
		{"nothing that makes sense", two(0, 0, lines("0", "0", "0", "0", "0")), 0, false, "Notrun", "no test of the configuration was run"},
		{"the same, strictly", two(0, 0, lines("0", "0", "0", "0", "0")), 0, true, "Fail", "no test"},
		{"too late", []Ended{{Who: "server", Stopped: true}, {Who: "client", Stopped: true}}, time.Second, false, "Fail", "within 1s (-T)"},
		{"lost", []Ended{{Who: "server", Lost: "gone"}}, 0, false, "Fail", "gone"},
		{"a server that does not end", []Ended{{Who: "server", Stopped: true}, {Who: "client", Output: all}}, 0, false, "Fail [0/9]", "the server did not end after the other"},
	} {
		r := Result{Sides: c.sides}
		judgeTests(&r, c.limit, c.strict)
		if r.Result() != c.want || !strings.Contains(r.Reason, c.reason) || (c.reason == "") != (r.Reason == "") {
			t.Errorf("%s: %s, %q; want %s, %q", c.name, r.Result(), r.Reason, c.want, c.reason)
		}
	}
}

// TestConfigurations has those of libfabric's script: the long one for complex alone and in all, another one for verify, that of -u for
// every set.
func TestConfigurations(t *testing.T) {
	for _, c := range []struct {
		sets, given, set, want string
	}{
		{"complex", "", "complex", "all"}, {"all", "", "complex", "all"}, {"unit,complex", "", "complex", "quick"}, {"verify", "", "verify", "verify"},
		{"unit,verify", "", "verify", "verify"}, {"complex", "my.test", "complex", "my.test"}, {"verify", "my.test", "verify", "my.test"},
	} {
		r := New(Config{Sets: strings.Split(c.sets, ","), Ubertest: c.given})
		if got := r.configOf(c.set); got != c.want {
			t.Errorf("-t %s, %s: %s, want %s", c.sets, c.set, got, c.want)
		}
	}
}
