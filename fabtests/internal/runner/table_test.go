package runner

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gofabric/gofabric/fabtests/internal/scenario"
)

var update = flag.Bool("update", false, "write the golden files")

// results are one of each kind.
func results() []Result {
	pair := &scenario.Scenario{Sides: scenario.Pair}
	began := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	test := func(set, name, args string) *Test {
		return &Test{Set: set, Provider: "shm", Name: name, Args: strings.Fields(args), scenario: pair}
	}
	side := func(who, out string, status int) Ended {
		return Ended{Who: who, Command: "fabtests x -p shm # " + who, Output: out, Status: status}
	}
	list := []Result{
		{Test: &Test{Set: "unit", Provider: "shm", Name: "eq_test", scenario: &scenario.Scenario{}}, Verdict: Pass, Began: began, Took: 1234567 * time.Microsecond,
			Sides: []Ended{{Command: "fabtests eq_test -p shm", Output: "Summary: all tests passed\n"}}},
		{Test: test("functional", "rdm", "-U"), Verdict: Fail, Reason: "the client ended with status 5 (FI_EIO)", Said: "it's <bad>", Began: began, Took: time.Second,
			Sides: []Ended{side("server", "Waiting\x1b[31m\n", 0), side("client", "it's <bad> & \"broken\"\nno newline", 5)}},
		{Test: test("functional", "cq_data", "-e dgram -o senddata"), Verdict: NotRun, Reason: "the server ended with status 61 (FI_ENODATA)", Began: began,
			Sides: []Ended{side("server", "  no\n", 61)}},
		{Test: test("short", "rdm_pingpong", "-I 5"), Verdict: Excluded, Reason: "by -e or -f", Began: began},
		{Test: test("functional", "flood", ""), Verdict: Absent, Reason: "not in this program", Began: began},
		{Test: test("functional", "flood", "-U"), Verdict: Absent, Reason: "not in this program", Began: began},
	}
	list[1].env, list[1].oob = []string{"FI_SHM_TX_SIZE=two words"}, true
	return list
}

// TestAgain: a test that has failed can be repeated, with the options of the run.
func TestAgain(t *testing.T) {
	pair, alone := &scenario.Scenario{Sides: scenario.Pair}, &scenario.Scenario{}
	sides := []Ended{{Command: "A"}, {Command: "B"}}
	for _, c := range []struct {
		test  Test
		sides []Ended
		want  string
	}{
		{Test{Name: "rdm", scenario: pair}, sides, "fabtests rdm --local -p shm"},
		{Test{Name: "rdm", scenario: pair, Args: []string{"-U"}, more: []string{"-S", "8"}, env: []string{"A=b c"}}, sides, "A='b c' fabtests rdm --local -p shm -U -S 8"},
		{Test{Name: "rdm", scenario: pair, apart: true}, sides, "A & sleep 1; B; wait"},
		{Test{Name: "rdm", scenario: pair, apart: true}, nil, "fabtests rdm --local -p shm"},
		{Test{Name: "eq_test", scenario: alone, apart: true}, sides[:1], "A"},
		{Test{Name: "eq_test", scenario: alone}, sides[:1], "fabtests eq_test -p shm"},
	} {
		c.test.Provider = "shm"
		if got := (&Result{Test: &c.test, Sides: c.sides}).Again(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestTableShapes compares all forms of a table, and both kinds of files, with golden ones.
func TestTableShapes(t *testing.T) {
	var all bytes.Buffer
	for verbose := range 4 {
		table := NewTable(&all, "shm: quick", verbose)
		for _, r := range results() {
			table.Add(r)
		}
		if got := table.Foot(verbose); got != (Totals{Pass: 1, Fail: 1, NotRun: 1, Excluded: 1}) {
			t.Errorf("%+v", got)
		}
	}
	var junit JUnit
	for _, r := range results() {
		if err := WriteJSON(&all, r, 0); err != nil {
			t.Fatal(err)
		}
		junit.Add(r)
	}
	if err := junit.Write(&all); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", "tables.txt")
	if *update {
		if err := os.WriteFile(file, all.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), all.String()); d != "" {
		t.Errorf("go test ./fabtests/internal/runner -run TestTableShapes -update, if that is wanted (-want +got):\n%s", d)
	}
}

// TestJSONLines: each result is an object of its own, with what is needed to run it again.
func TestJSONLines(t *testing.T) {
	var b bytes.Buffer
	for _, r := range results() {
		if err := WriteJSON(&b, r, 0); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	for line := range bytes.Lines(b.Bytes()) {
		var got struct {
			Test, Result, Again string
			Sides               []struct{ Output string }
		}
		if err := json.Unmarshal(line, &got); err != nil {
			t.Fatal(err)
		}
		shown := len(got.Sides) > 0 && got.Sides[0].Output != ""
		if got.Test == "" || !strings.HasPrefix(strings.TrimPrefix(got.Again, "FI_SHM_TX_SIZE='two words' "), "fabtests ") || shown != (got.Result == string(Fail)) {
			t.Errorf("%+v", got)
		}
		n++
	}
	if n != len(results()) {
		t.Errorf("%d lines", n)
	}
}

// TestJUnitIsXML reads the file back, with what processes may print in it.
func TestJUnitIsXML(t *testing.T) {
	var junit JUnit
	for _, r := range results() {
		junit.Add(r)
	}
	var b bytes.Buffer
	if err := junit.Write(&b); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Skipped  int `xml:"skipped,attr"`
		Suites   []struct {
			Name  string `xml:"name,attr"`
			Cases []struct {
				Name string `xml:"name,attr"`
				Out  string `xml:"system-out"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatalf("%v\n%s", err, &b)
	}
	if got.Tests != 6 || got.Failures != 1 || got.Skipped != 4 || len(got.Suites) != 3 || got.Suites[1].Name != "fabtests.shm.functional" {
		t.Errorf("%+v", got)
	}
	if out := got.Suites[1].Cases[0].Out; !strings.Contains(out, `it's <bad> & "broken"`) {
		t.Errorf("%q", out)
	}
}
