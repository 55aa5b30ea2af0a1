package hook_test

import (
	"flag"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fabtests/conformance"
	"github.com/gofabric/gofabric/providers/hook/check"
	"github.com/gofabric/gofabric/providers/hook/monitor"
	"github.com/gofabric/gofabric/providers/hook/profile"
	"github.com/gofabric/gofabric/providers/hook/trace"
	"github.com/gofabric/gofabric/providers/mem"
)

// all has the hooks examined before shm and tcp, too, and by more of the suite.
var all = flag.Bool("hooks", false, "hooks: before shm and tcp too, and more of the suite")

// families are those in which a wrapper shows: contexts, completions, cancels, optional calls, connections; more are looked
// at with the flag.
var (
	families = []string{"rdm/tagged", "rdm/cancel", "rdm/multi-recv", "rdm/peek", "rdm/completion", "rdm/shared-recv", "rdm/source",
		"rdm/rma", "rdm/mr", "rdm/wrong", "rdm/endpoint", "rdm/atomic", "rdm/issue", "rdm/scalable", "rdm/shared-send", "rdm/stats", "rdm/auth-key", "msg/cancel", "msg/shared-recv", "msg/wrong", "msg/stats", "msg/auth-key"}
	more = []string{"rdm/msg", "rdm/match", "rdm/counter", "rdm/promise", "rdm/wait", "rdm/linear", "rdm/fence", "rdm/directed",
		"msg/connect", "msg/shutdown", "msg/eq", "msg/completion"}
)

// chosen tells whether a case belongs to what is run.
func chosen(path string) bool {
	in := func(f string) bool { return strings.HasPrefix(path, f+"/") }
	if strings.HasSuffix(path, "/matrix") { // all atomics: nothing of it is a wrapper's
		return false
	}
	return slices.ContainsFunc(families, in) || *all && slices.ContainsFunc(more, in)
}

// reports collects what the checker reports.
type reports struct {
	mu   sync.Mutex
	list []check.Report
}

func (r *reports) add(x check.Report) {
	r.mu.Lock()
	r.list = append(r.list, x)
	r.mu.Unlock()
}

// stack puts all hooks before a provider.
func stack(t *testing.T, p driver.Provider, r *reports) driver.Provider {
	folder := filepath.Join(t.TempDir(), "monitor")
	p = check.New(p, r.add)
	p = trace.New(p, io.Discard)
	p = profile.New(p, io.Discard)
	return monitor.New(p, func(name string) (string, bool) { return folder, name == "FI_OFI_HOOK_MONITOR_BASEPATH" })
}

// onPurpose is where the suite breaks rules because it is about that: the kinds of reports, and the files of cases.
var onPurpose = map[check.Kind][]string{
	check.Context:   {"family_flow.go", "family_level.go"},          // one context for all of a stream
	check.Overlap:   {"family_promise.go", "family_counter.go"},     // buffers that are not looked at
	check.Bind:      {"family_wrong.go", "family_connect_calls.go"}, // Enable without
	check.Undrained: {"issue.go", "family_flow.go"},                 // a whole burst before the first is read
	check.MR:        {"region.go"},                                  // what happens then
	check.Closed:    {"an unknown place"},                           // sends that closing completes
}

// TestConformance runs the suite through all hooks at once, and sees that the checker finds nothing but what the suite does
// on purpose.
func TestConformance(t *testing.T) { throughAll(t, mem.New()) }

func throughAll(t *testing.T, p driver.Provider) {
	var found reports
	conformance.Run(t, conformance.Harness{Provider: stack(t, p, &found), Pair: conformance.InProcess, Only: chosen})
	for _, r := range found.list {
		if file, _, _ := strings.Cut(filepath.Base(r.Place), ":"); !slices.Contains(onPurpose[r.Kind], file) {
			t.Errorf("reported: %s: %v", r.Kind, r)
		}
	}
}
