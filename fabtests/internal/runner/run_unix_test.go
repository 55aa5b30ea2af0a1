//go:build unix

package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/gofabric/gofabric/fabtests/internal/local"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/internal/cfabtests"
)

// patience is how long a test waits for what must come.
const patience = 30 * time.Second

func TestMain(m *testing.M) {
	grace = 200 * time.Millisecond // for scripts that do not listen
	goleak.VerifyTestMain(m)
}

// script writes a program that is told which scenario and side it is: $1 is the scenario, $server is empty for a client.
func script(t *testing.T, dir, name, body string) string {
	t.Helper()
	text := "#!/bin/sh\ncd " + dir + "\nserver=\ncase \" $* \" in *' -B '*) server=1 ;; esac\n" +
		"ready() { printf '\\001ready\\n'; }\n" + body + "\n"
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

// stub makes a Runner of a script, whose scenarios have two sides and no needs.
func stub(t *testing.T, body string) *Runner {
	t.Helper()
	parse := func(words []string) (*scenario.Scenario, *options.Options, []string, error) {
		return &scenario.Scenario{Name: words[0], Sides: scenario.Pair, NoInfo: true}, options.New(), nil, nil
	}
	return New(Config{Program: script(t, t.TempDir(), "ours", body), Parse: parse, Jobs: 2, Limit: 10 * patience, Negative: true, PeerSide: BothSides})
}

// tests makes a plan of scenarios by name.
func (r *Runner) tests(t *testing.T, names ...string) []*Test {
	t.Helper()
	var plan []*Test
	for _, n := range names {
		list, err := r.expand("functional", "x", n)
		if err != nil {
			t.Fatal(err)
		}
		plan = append(plan, list...)
	}
	return plan
}

// all runs a plan.
func (r *Runner) all(ctx context.Context, plan []*Test) []Result {
	var out []Result
	r.Run(ctx, plan, func(res Result) { out = append(out, res) })
	return out
}

// TestOrder: results come in the order of the plan, though tests run at the same time: the first waits for the second.
func TestOrder(t *testing.T) {
	r := stub(t, `ready
if [ -z "$server" ]; then
  if [ $1 = slow ]; then while [ ! -e done ]; do sleep 0.01; done; else : >done; fi
fi`)
	res := r.all(context.Background(), r.tests(t, "slow", "quick"))
	if len(res) != 2 || res[0].Name != "slow" || res[0].Verdict != Pass || res[1].Verdict != Pass {
		t.Errorf("%+v", res)
	}
	if s := res[0].Sides; len(s) != 2 || s[0].Who != "server" || !strings.Contains(s[1].Command, " -P ") || strings.Contains(s[0].Command, supervisedVar) {
		t.Errorf("%+v", s)
	}
}

// TestServerThatCannotStart has no client: its status is the verdict.
func TestServerThatCannotStart(t *testing.T) {
	r := stub(t, `echo no; [ -n "$server" ] && exit 5; : >client`)
	res := r.all(context.Background(), r.tests(t, "rdm"))[0]
	if res.Verdict != Fail || res.Reason != "the server ended with status 5 (FI_EIO)" || len(res.Sides) != 1 || res.Sides[0].Output != "no\n" {
		t.Errorf("%+v", res)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(r.Program), "client")); err == nil {
		t.Error("a client ran")
	}
}

// TestClientThatFails ends its server, which would wait for ever and does not listen.
func TestClientThatFails(t *testing.T) {
	r := stub(t, `[ -z "$server" ] && exit 7
trap '' TERM
echo $$ >pid
ready
while :; do sleep 0.05; done`)
	res := r.all(context.Background(), r.tests(t, "rdm"))[0]
	if res.Verdict != Fail || res.Reason != "the client ended with status 7 (FI_E2BIG)" || !res.Sides[0].Stopped {
		t.Errorf("%+v", res)
	}
	gone(t, r, "pid")
}

// TestTimeLimit: a peer that never comes ends the test with words, with all that it has started.
func TestTimeLimit(t *testing.T) {
	r := stub(t, `(trap '' TERM; exec sleep 1000) & echo $! >kid
wait`)
	kid := filepath.Join(filepath.Dir(r.Program), "kid")
	for r.Limit = 300 * time.Millisecond; ; r.Limit *= 2 { // until it is long enough to get so far
		res := r.all(context.Background(), r.tests(t, "rdm"))[0]
		if res.Verdict != Fail || res.Reason != fmt.Sprintf("the server did not end within %v (-T)", r.Limit) {
			t.Errorf("%+v", res)
		}
		if _, err := os.Stat(kid); err == nil || r.Limit > patience {
			break
		}
	}
	gone(t, r, "kid")
}

// TestInterrupted: what runs is ended and has no result, what waits is not started.
func TestInterrupted(t *testing.T) {
	r := stub(t, `echo $$ >$1.pid
ready
exec sleep 1000`)
	r.Jobs = 1
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	dir := filepath.Dir(r.Program)
	go func() {
		for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
			if b, err := os.ReadFile(filepath.Join(dir, "one.pid")); err == nil && len(b) > 0 {
				break
			}
		}
		cancel()
	}()
	if res := r.all(ctx, r.tests(t, "one", "two")); len(res) != 0 {
		t.Errorf("%+v", res)
	}
	gone(t, r, "one.pid")
	if _, err := os.Stat(filepath.Join(dir, "two.pid")); err == nil {
		t.Error("the second was started")
	}
}

// gone waits until the process in a file has ended.
func gone(t *testing.T, r *Runner, file string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(filepath.Dir(r.Program), file))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(patience); !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) && !zombie(pid); {
		if time.Now().After(deadline) {
			t.Fatalf("process %d lives on", pid)
		}
	}
}

// zombie tells that a process has ended, where there is a table to look at, though its parent has not asked for it.
func zombie(pid int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(b), ") Z ")
}

// TestServerThatLeaves: one that ends well before it can be reached is no success.
func TestServerThatLeaves(t *testing.T) {
	r := stub(t, "")
	if res := r.all(context.Background(), r.tests(t, "rdm"))[0]; res.Verdict != Fail || !strings.Contains(res.Reason, "the server did not come to its end: it ended before") {
		t.Errorf("%+v", res)
	}
}

// TestLost: a program that is not there is a failure that says so.
func TestLost(t *testing.T) {
	r := stub(t, "")
	r.Program += "-gone"
	if res := r.all(context.Background(), r.tests(t, "rdm"))[0]; res.Verdict != Fail || !strings.Contains(res.Reason, "the server did not come to its end: ") {
		t.Errorf("%+v", res)
	}
}

// TestRemote reaches two hosts by a command in place of ssh, which is told the host and one word for its shell.
func TestRemote(t *testing.T) {
	r := stub(t, `ready; echo "$WORD here"`)
	dir := filepath.Dir(r.Program)
	ssh := script(t, dir, "ssh", `echo "$1 $2" >>hosts; shift 2; exec sh -c "$*"`)
	if err := os.Rename(r.Program, filepath.Join(dir, "fabtests")); err != nil {
		t.Fatal(err)
	}
	r.Remote, r.SSH, r.Folder, r.Env, r.OOB = true, []string{ssh, "-x"}, dir, []string{"WORD=two words"}, true
	r.Server, r.Client = Host{Name: "alpha", Args: []string{"--more"}}, Host{Name: "beta", Iface: "192.0.2.9"}
	res := r.all(context.Background(), r.tests(t, "rdm"))[0]
	if res.Verdict != Pass {
		t.Fatalf("%+v", res)
	}
	for i, want := range [][]string{
		{ssh + " -x alpha ", "WORD=two words", "-B 9228", "-E=3000"[1:2], "--more"},
		{ssh + " -x beta ", "-s 192.0.2.9", "-P 9228", "--oob-address=3000", " alpha"},
	} {
		for _, w := range want {
			if !strings.Contains(res.Sides[i].Command, w) {
				t.Errorf("%s: no %q", res.Sides[i].Command, w)
			}
		}
		if res.Sides[i].Output != "two words here\n" {
			t.Errorf("%q", res.Sides[i].Output)
		}
	}
	if again := res.Again(); again != res.Sides[0].Command+" & sleep 1; "+res.Sides[1].Command+"; wait" {
		t.Error(again)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "hosts")); string(b) != "-x alpha\n-x beta\n" {
		t.Errorf("%q %v", b, err)
	}
}

// TestCPeer runs scripts as C's programs: they get their own options, and ours the version.
func TestCPeer(t *testing.T) {
	r := stub(t, `ready; echo "$*"`)
	dir := t.TempDir()
	for name, body := range map[string]string{"fi_info": "echo libfabric: 1.17.1", "fi_rdm": `echo "$*"`, "fi_cq_data": ""} {
		script(t, dir, name, body)
	}
	p, err := cfabtests.Find(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	r.Peer, r.PeerSide, r.Fork = p, ClientSide, true
	plan := r.tests(t, "rdm -e rdm", "cq_data -o writedata", "recv_cancel", "rdm "+badHost)
	var titles []string
	for _, p := range plan {
		titles = append(titles, fmt.Sprintf("%s: %s", p.Title(), p.reason))
	}
	if want := []string{"fi_rdm -e rdm --fork [C joins]: ", "fi_cq_data -o writedata --fork [C joins]: C's program has no -o before 1.22",
		"fi_recv_cancel --fork: not among the programs of C", "fi_rdm g00n13s: no test of two sides"}; !slices.Equal(titles, want) {
		t.Errorf("%q", titles)
	}
	plan[0].Provider = "tcp"
	res := r.all(context.Background(), plan[:1])[0]
	if res.Verdict != Pass || len(res.Sides) != 2 {
		t.Fatalf("%+v", res)
	}
	ours, theirs := res.Sides[0].Output, res.Sides[1].Output
	if !strings.HasPrefix(ours, "rdm --peer-version 1.17 -p tcp --timeout ") || !strings.Contains(ours, " -s 127.0.0.1 -B ") {
		t.Error(ours)
	}
	if !strings.HasPrefix(theirs, "-p net -e rdm -K -P ") || !strings.HasSuffix(theirs, " 127.0.0.1\n") || strings.Contains(theirs, "timeout") {
		t.Error(theirs)
	}
	if again := res.Again(); !strings.Contains(again, " & sleep 1; FI_TCP_IFACE=lo "+filepath.Join(dir, "fi_rdm")+" -p net ") {
		t.Error(again)
	}
	r.PeerSide = BothSides
	if plan := r.tests(t, "rdm"); len(plan) != 2 || !plan[0].CServes || !plan[1].CJoins {
		t.Errorf("%+v", plan)
	}
}

// TestMoreOptions: options that the run gives to both sides alike are in the command that repeats a test; with others it is
// two commands.
func TestMoreOptions(t *testing.T) {
	r := stub(t, `ready; exit 5`)
	r.Server.Args, r.Client.Args = []string{"-S", "8"}, []string{"-S", "8"}
	if res := r.all(context.Background(), r.tests(t, "rdm -U"))[0]; res.Verdict != Fail || res.Again() != "fabtests rdm --local -p "+res.Provider+" -U -S 8" {
		t.Errorf("%s %s", res.Verdict, res.Again())
	}
	r.Client.Args = nil
	res := r.all(context.Background(), r.tests(t, "rdm -U"))[0]
	server, client, two := strings.Cut(res.Again(), " & sleep 1; ")
	if !two || !strings.HasSuffix(server, " -S 8") || strings.Contains(client, "-S 8") || !strings.HasSuffix(client, " 127.0.0.1; wait") {
		t.Error(res.Again())
	}
}

// TestInProcess runs both sides of mem as one process, in which options are shared.
func TestInProcess(t *testing.T) {
	r := stub(t, `echo "$*"`)
	plan := r.tests(t, "rdm")
	plan[0].Provider = local.InProcess
	res := r.all(context.Background(), plan)[0]
	if res.Verdict != Pass || len(res.Sides) != 1 || !strings.HasPrefix(res.Sides[0].Output, "rdm --local --both -p mem --timeout ") {
		t.Errorf("%+v", res)
	}
}
