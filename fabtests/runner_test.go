package main

import (
	"context"
	"flag"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fabtests/internal/local"
	"github.com/gofabric/gofabric/fabtests/internal/runner"
)

// TestSetsAreUnderstood plans all sets: each line is one that its scenario takes. Those of which this program has no scenario
// are listed.
func TestSetsAreUnderstood(t *testing.T) {
	s := newSets(&program{ctx: context.Background()})
	s.config.Parse, s.config.Sets, s.config.Jobs = parseLine, []string{"all", "short"}, 1
	plan, err := runner.New(s.config).Plan("mem")
	if err != nil {
		t.Fatal(err)
	}
	if len(plan) < 150 {
		t.Errorf("only %d tests", len(plan))
	}
	var missing []string
	for _, name := range runner.Scenarios() {
		if find(name) == nil {
			missing = append(missing, name)
		}
	}
	t.Logf("in the sets, but not in this program: %s", strings.Join(missing, ", "))
	for _, s := range scenarios() {
		if !slices.Contains([]string{"pingpong", "stress", "rdm_stress"}, s.Name) && !strings.HasPrefix(string(s.Kind), "Figures") && !slices.Contains(runner.Scenarios(), s.Name) {
			t.Errorf("%s is in no set", s.Name)
		}
	}
}

// TestRemoteDataIsAskedFor: datagrams that carry no remote CQ data are not what cq_data needs, so that it is not run over them.
func TestRemoteDataIsAskedFor(t *testing.T) {
	for line, want := range map[string]bool{
		"cq_data -p udp -e dgram -o senddata": false,
		"dgram -p udp":                        true,
		"cq_data -p mem -e rdm -o senddata":   true,
	} {
		s, o, _, err := parseLine(strings.Fields(line))
		if err != nil {
			t.Fatal(err)
		}
		if s.EPType != 0 {
			o.EPType = s.EPType
		}
		if has, ask := local.Offers(context.Background(), s, o); has != want {
			t.Errorf("%s: offered %v, want %v; %s", line, has, want, ask)
		}
	}
}

// TestStatusOfARun: the number of failures as far as a status goes.
func TestStatusOfARun(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 1, 124: 124, 125: 125, 126: 125, 1000: 125} {
		got := 0
		if err := failures(n); err != nil {
			got = err.(interface{ ExitCode() int }).ExitCode() //nolint:errorlint // as it was made
		}
		if got != want {
			t.Errorf("%d failures: status %d, want %d", n, got, want)
		}
	}
}

var quick = flag.Bool("quick", false, "run every scenario over the providers here")

// TestQuick runs unit and functional tests of each provider for real, and short benchmarks between processes: nothing may fail, and what a provider does not
// offer is all that may be missing.
func TestQuick(t *testing.T) {
	if !*quick {
		t.Skip("known: a minute of all scenarios, with -quick only")
	}
	self, err := exec.LookPath("fabtests")
	if err != nil {
		t.Fatal(err)
	}
	runs := []struct{ provider, sets string }{{"mem", "unit,functional,regression,complex"}}
	if runtime.GOOS == "linux" {
		runs = append(runs, []struct{ provider, sets string }{{"shm", "quick,regression,complex"}, {"tcp", "quick,regression,complex"}}...)
	}
	for _, r := range runs {
		t.Run(r.provider, func(t *testing.T) {
			// With limits that a busy machine does not reach.
			cmd := exec.Command(self, "run", "-t", r.sets, "-T", "600", "-E", "FI_SHM_CONNECT_TIMEOUT=60000", "-v", r.provider)
			out, err := cmd.CombinedOutput()
			_, foot, _ := strings.Cut(string(out), "# Total Pass")
			t.Logf("# Total Pass%s", foot)
			if err != nil || !strings.Contains(foot, "# Total Fail ") {
				t.Errorf("%v\n%s\nthose that failed:\n%s", err, out, failing(string(out)))
			}
		})
	}
}

// failing are the entries of tests that failed: a log that is cut shows its end.
func failing(out string) string {
	var b strings.Builder
	for _, entry := range strings.Split(out, "\n- name:")[1:] {
		if strings.Contains(entry, "result: Fail") {
			b.WriteString("- name:" + entry + "\n")
		}
	}
	return b.String()
}
