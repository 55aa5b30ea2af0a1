package chaos_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofabric/gofabric/fabtests/conformance"
	"github.com/gofabric/gofabric/internal/osx"
	"github.com/gofabric/gofabric/providers/hook/chaos"
	"github.com/gofabric/gofabric/providers/mem"
)

// catchers names, for each mutant, cases of the suite that must catch it.
var catchers = map[chaos.Mutant][]string{
	chaos.DropCompletion:      {"msg/both-ways", "rma/many"},
	chaos.CompleteTwice:       {"tagged/both-ways"},
	chaos.LoseErrors:          {"mr/wrong-key", "msg/truncation"},
	chaos.WrongContext:        {"tagged/order-of-sizes"},
	chaos.WrongLength:         {"msg/sizes"},
	chaos.WrongSource:         {"source/tagged"},
	chaos.WrongTag:            {"tagged/forms"},
	chaos.WrongKind:           {"rma/forms"},
	chaos.LoseData:            {"completion/data"},
	chaos.HalfData:            {"completion/data"},
	chaos.TruncationIsSuccess: {"tagged/truncation"},
	chaos.ForgetRelease:       {"multi-recv/cancel"},
	chaos.IgnoreKeys:          {"auth-key/endpoints", "auth-key/remote-access"},
	chaos.AllKeysOne:          {"auth-key/vectors", "auth-key/two-keys"},
	chaos.RegionsForAll:       {"auth-key/regions", "auth-key/vector-regions"},
	chaos.StatsMiss:           {"tagged/both-ways", "stats/closed"},
	chaos.LevelsStay:          {"stats/levels"},
	chaos.LoseWakeups:         {"wait/sread-asleep"},
	chaos.SelectiveIgnored:    {"completion/selective"},
	chaos.CloseForgets:        {"cancel/recv", "wait/close-while-waiting"},
	chaos.SwapTagged:          {"match/first-sent-first"},
	chaos.Reorder:             {"msg/order-of-sizes"},
	chaos.DropInBurst:         {"tagged/burst"},
	chaos.InjectKeepsBuffer:   {"msg/forms"},
	chaos.ChangeSource:        {"msg/sizes"},
	chaos.EarlyMatch:          {"completion/match-complete"},
	chaos.IgnoreFence:         {"fence/send"},
	chaos.IgnoreMask:          {"match/ignore"},
	chaos.ShortTag:            {"match/each-bit"},
	chaos.IgnoreSender:        {"directed/tagged"},
	chaos.IgnoreGroup:         {"match/peer-groups"},
	chaos.OneContext:          {"scalable/contexts", "scalable/messages"},
	chaos.SharedTxEndless:     {"shared-send/size"},
	chaos.LosePart:            {"msg/vectors"},
	chaos.RecvByteTooFar:      {"msg/sizes"},
	chaos.DataLate:            {"msg/forms"},
	chaos.MultiOverlap:        {"multi-recv/msg"},
	chaos.PeekTakes:           {"peek/peek"},
	chaos.ClaimForgets:        {"peek/claim"},
	chaos.DiscardKeeps:        {"peek/discard"},
	chaos.CancelTwice:         {"cancel/recv"},
	chaos.CancelLeaves:        {"cancel/tagged-recv"},
	chaos.WriteByteTooFar:     {"rma/forms"},
	chaos.WriteLate:           {"completion/delivery-of-writes"},
	chaos.ShortRead:           {"rma/offsets"},
	chaos.StaleKey:            {"mr/closed"},
	chaos.LeakKey:             {"mr/keys"},
	chaos.IgnoreRights:        {"mr/rights", "mr/rights-atomic"},
	chaos.IgnoreRange:         {"mr/range"},
	chaos.ZeroUnchecked:       {"rma/zero-length"},
	chaos.SingleUseStays:      {"mr/single-use"},
	chaos.PartsSwapped:        {"rma/parts"},
	chaos.SubRights:           {"mr/sub-regions"},
	chaos.LoseWriteData:       {"rma/write-data"},
	chaos.LoseEvents:          {"mr/events"},
	chaos.MapCopies:           {"mr/map"},
	chaos.NotAtomic:           {"linear/counter", "linear/sum-of-all"},
	chaos.WrongOp:             {"atomic/matrix"},
	chaos.FetchNew:            {"atomic/some"},
	chaos.CompareSwapped:      {"atomic/matrix"},
	chaos.QueryTooMuch:        {"atomic/counts"},
	chaos.TriggerEarly:        {"trigger/by-receive"},
	chaos.TriggerTwice:        {"trigger/once"},
	chaos.CounterMisses:       {"tagged/both-ways", "counter/wait"},
	chaos.AcceptBadAddress:    {"av/bad-addresses"},
	chaos.PromiseVectors:      {"msg/vectors"},
	chaos.PromiseAtomics:      {"atomic/forms"},
	chaos.ListUnopenable:      {"promise/every-info-opens"},
	chaos.LeakGoroutine:       {"msg/self"},
	chaos.LeakDescriptor:      {"msg/self"},
	chaos.ValueMissing:        {"collective/calls"},
	chaos.BarrierEarly:        {"collective/barrier"},
	chaos.ShortPrivateData:    {"connect/private-data"},
	chaos.AcceptSaysNothing:   {"connect/private-data"},
	chaos.RejectSaysNothing:   {"connect/reject"},
	chaos.SilentShutdown:      {"shutdown/both-hear"},
	chaos.WrongPeer:           {"connect/handshake"},
	chaos.PromiseCMData:       {"connect/too-much-data"},
}

// cells are those in which the mutants are looked at.
const (
	cell          = "rdm/"
	connectedCell = "msg/"
)

// inCell is the path of a case in the cell where it is looked at.
func inCell(name string) string {
	if strings.HasPrefix(name, "connect/") || strings.HasPrefix(name, "shutdown/") {
		return connectedCell + name
	}
	return cell + name
}

// patience is short: what mem does, it does at once.
const patience = 400 * time.Millisecond

// attempts is how often a mutant is tried: some lies show only at the right moment, which a busy machine may miss.
const attempts = 5

// TestMutants runs the named cases against each mutant: at least one must fail, and not by taking too long to end.
func TestMutants(t *testing.T) {
	for _, m := range chaos.Mutants() {
		t.Run(m.String(), func(t *testing.T) {
			if osx.RaceEnabled && (m == chaos.InjectKeepsBuffer || m == chaos.DataLate || m == chaos.WriteLate) {
				t.Skip("known: the race detector sees this lie by itself")
			}
			want := catchers[m]
			if len(want) == 0 {
				t.Fatalf("no case is named to catch the mutant that %s", m.Lie())
			}
			for range attempts {
				results, err := conformance.Record(conformance.Harness{
					Provider: chaos.New(mem.New(), m), Pair: conformance.InProcess, Patience: patience,
					Only: func(path string) bool {
						return slices.ContainsFunc(want, func(name string) bool { return path == inCell(name) })
					},
				}, nil)
				if err != nil {
					t.Fatal(err)
				}
				if len(results) != len(want) {
					t.Errorf("%d cases ran, want %v", len(results), want)
				}
				for _, r := range results {
					if r.Failed() {
						why, _, _ := strings.Cut(r.Failures[0], "\n")
						t.Logf("%s: caught by %s: %s", m.Lie(), r.Path, why)
						if strings.HasPrefix(why, "did not end") {
							t.Errorf("%s: the case hangs", r.Path)
						}
						return
					}
				}
			}
			t.Errorf("a provider that %s passes %v", m.Lie(), want)
		})
	}
}

// TestTruth runs the whole suite against the wrapper that does not lie: what catches the mutants catches their lies.
func TestTruth(t *testing.T) {
	allocates := "the wrapper and mem are not made for speed"
	conformance.Run(t, conformance.Harness{
		Provider: chaos.New(mem.New(), chaos.None), Pair: conformance.InProcess,
		Only: func(path string) bool { return strings.HasPrefix(path, cell) || strings.HasPrefix(path, connectedCell) },
		Known: map[string]string{"alloc/msg": allocates, "alloc/tagged": allocates, "alloc/message-forms": allocates, "alloc/contexts": allocates,
			"alloc/unexpected": allocates, "alloc/rma": allocates, "alloc/rma-large": allocates, "alloc/atomic": allocates},
	})
}

// TestNames sees that every mutant has a name and says what it does.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range append(chaos.Mutants(), chaos.None) {
		if m.String() == "" || m.Lie() == "" || seen[m.String()] {
			t.Errorf("mutant %d is %q: %q", int(m), m, m.Lie())
		}
		seen[m.String()] = true
		if found, ok := chaos.Find(m.String()); !ok || found != m {
			t.Errorf("the mutant %v is not found by its name: %v, %v", m, found, ok)
		}
	}
	if _, ok := chaos.Find("none-such"); ok {
		t.Error("a mutant of no name")
	}
	if chaos.Mutant(-1).Lie() != "" || chaos.Mutant(999).String() != "unknown" {
		t.Error("numbers that are no mutants")
	}
	if chaos.New(mem.New(), chaos.None).Name() != mem.Name {
		t.Error("the wrapper has another name than its provider")
	}
}
