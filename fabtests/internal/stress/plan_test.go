package stress

import (
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fi"
)

// someChoice is one of a provider that has everything.
func someChoice(seed uint64, typ fi.EPType) choice {
	return choice{Seed: seed, Ranks: 4, Ops: opAll, Steps: 300, Type: typ, Provider: "some", Limits: limits{Caps: ^fi.Caps(0), Inject: 4096, TxIov: 8, RxIov: 8,
		RMAIov: 8, Data: 8, MaxMsg: 1 << 40, Atomics: 1<<len(slotKinds) - 1, Auto: true, Manual: true, OneThread: true}}
}

// TestPlansAreAlike: all ranks make the same plan, and another round or seed gives another one.
func TestPlansAreAlike(t *testing.T) {
	texts := map[string]bool{}
	for seed := range uint64(2) {
		for round := range 2 {
			a, b := newPlan(someChoice(seed, fi.EPRDM), round), newPlan(someChoice(seed, fi.EPRDM), round)
			if text(a) != text(b) {
				t.Fatalf("two plans of seed %d, round %d differ:\n%s\n%s", seed, round, text(a), text(b))
			}
			if texts[text(a)] {
				t.Errorf("seed %d, round %d repeats another one", seed, round)
			}
			texts[text(a)] = true
		}
	}
}

func text(p *plan) string {
	var out strings.Builder
	out.WriteString(p.words())
	for _, h := range p.Phases {
		for _, s := range h.Steps {
			out.WriteString("\n" + s.String())
		}
	}
	return out.String()
}

// TestPlansAreSound: what a plan must keep so that its outcome is known.
func TestPlansAreSound(t *testing.T) {
	kinds := map[string]int{}
	for _, typ := range []fi.EPType{fi.EPRDM, fi.EPMsg} {
		for round := range 30 {
			p := newPlan(someChoice(1, typ), round)
			for _, h := range p.Phases {
				data := map[uint64]bool{}
				type span struct{ from, to int }
				written := map[int][]span{}
				for i, s := range h.Steps {
					kinds[s.Kind.String()+" "+s.Form.String()]++
					if s.Kind == sendTagged {
						kinds[s.Recv.String()]++
					}
					if s.ID != i || data[h.data(s)] {
						t.Fatalf("%v: number %d, its data is that of another one: %v", s, i, data[h.data(s)])
					}
					data[h.data(s)] = true
					if typ == fi.EPMsg && s.Kind != cancelOnly && (s.From.Rank == s.To.Rank || s.From.Lane != s.To.Lane) && s.Kind != atomically {
						t.Errorf("%v: there is no such connection", s)
					}
					if s.Form == injected && s.Size > p.Limits.Inject || s.Second && !h.Second[s.From.Rank] {
						t.Errorf("%v cannot be", s)
					}
					switch s.Kind {
					case write:
						written[s.To.Rank] = append(written[s.To.Rank], span{s.Off, s.Off + s.Size})
						if s.Off < readable || s.Off+s.Size+guard > h.slotsAt(s.To.Rank) {
							t.Errorf("%v is outside of what is written to", s)
						}
					case read:
						if s.Off+s.Size > readable {
							t.Errorf("%v is outside of what is there to be read", s)
						}
					case atomically:
						if h.Slots[s.Slot].Rank != s.To.Rank || typ == fi.EPMsg && s.From.Rank == s.To.Rank {
							t.Errorf("%v: its slot is at rank %d", s, h.Slots[s.Slot].Rank)
						}
					}
				}
				for rank, spans := range written {
					for i, a := range spans {
						for _, b := range spans[:i] {
							if a.from < b.to && b.from < a.to {
								t.Errorf("two writes to rank %d overlap: %v and %v", rank, a, b)
							}
						}
					}
				}
			}
		}
	}
	for k := sendMsg; k <= atomically; k++ {
		for f := plain; f <= injected; f++ {
			if name := k.String() + " " + f.String(); kinds[name] == 0 && !(k == read && f == injected) && !(k == atomically && f == vector) {
				t.Errorf("in 60 rounds there is no %s", name)
			}
		}
	}
	for f := recvPlain; f <= recvClaimDrop; f++ {
		if kinds[f.String()] == 0 {
			t.Errorf("in 60 rounds no message is %v", f)
		}
	}
}

// TestOps: what is not asked for does not happen.
func TestOps(t *testing.T) {
	c := someChoice(1, fi.EPRDM)
	c.Ops = opTagged | opRMA
	for round := range 20 {
		p := newPlan(c, round)
		if p.Threads > 1 || p.Selective {
			t.Errorf("round %d: %s", round, p.words())
		}
		for _, h := range p.Phases {
			for _, s := range h.Steps {
				if s.Kind != sendTagged && s.Kind != write && s.Kind != read || s.Form != plain || s.Recv != recvPlain || s.Level != 0 || s.Data || s.Second || s.Late > 0 || s.Directed {
					t.Fatalf("%v", s)
				}
			}
		}
	}
}

// TestFetched: old values that were brought twice, or not at all, are seen.
func TestFetched(t *testing.T) {
	h := &phase{Slots: []slot{{Kind: 0}, {Kind: 1}}}
	for _, c := range []struct {
		all  []fetched
		want int
	}{
		{nil, -1},
		{[]fetched{{1, 10, 0}, {1, 11, 2}, {1, 12, 1}}, -1},
		{[]fetched{{1, 10, 0}, {1, 11, 0}}, 11},
		{[]fetched{{1, 10, 0}, {1, 11, 2}}, 11},
		{[]fetched{{1, 10, 1}}, 10},
	} {
		if got, text := h.allFetched(c.all); got != c.want {
			t.Errorf("%v: step %d, %s, want %d", c.all, got, text, c.want)
		}
	}
}

// TestGrown: what there is more of is named, and nothing else.
func TestGrown(t *testing.T) {
	base := held{goroutines: 5, descriptors: 10, mappings: 2, heap: 1 << 20}
	if s := base.grown(held{goroutines: 4, descriptors: 10, mappings: 0, heap: 2 << 20}); s != "" {
		t.Error(s)
	}
	if s := base.grown(held{goroutines: 6, descriptors: 12, mappings: 3, heap: 1 << 30}); s != "6 goroutines instead of 5, 12 descriptors instead of 10, 3 mappings of shared memory instead of 2, a heap of 1073741824 bytes instead of 1048576" {
		t.Error(s)
	}
}
