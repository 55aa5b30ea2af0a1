package server

import (
	"crypto/rand"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/gofabric/gofabric/fi"
)

// Limits of what members may put. A job that needs more has something else in mind than addresses.
const (
	maxKey   = 63       // bytes, as every server of PMI-1 has it
	maxValue = 1023     // bytes
	maxSpace = 64 << 20 // bytes of keys and values of all members
	maxSize  = 1 << 20  // members
)

// SpaceConfig says what a [Space] answers.
type SpaceConfig struct {
	ID       string      // of the job, without blanks; empty for a random one
	Size     int         // members of the whole job
	Universe int         // processes that there is room for; 0 for Size
	Mapping  string      // value of PMI_process_mapping; empty for all on one node, see [Mapping]
	AppNums  map[int]int // program of a rank; those not named have 0
	Ranks    []int       // members that this Space serves; nil for all

	// KeepGoing lets fences end without members that died. Without it they stay open: whoever started the members is
	// about to end them all, and none shall go on with values that are missing.
	KeepGoing bool

	// Exchange is called when all members that this Space serves have entered a fence, with what they put since the last
	// one. Somebody then calls Release with what all members put; not Exchange itself. Nil: this Space serves all.
	Exchange func(puts map[string]string)
	// Left is called when the last member that this Space serves has left or died. May be nil.
	Left func()
	// Abort is called when a member ends the job. May be nil.
	Abort func(rank, code int)
	// Note is called with a sentence about what a member did wrong. May be nil.
	Note func(rank int, text string)
}

// Space is the key space and the barrier of a job, or of the part of it that runs on one host.
type Space struct {
	c SpaceConfig

	mu        sync.Mutex
	members   map[int]*member
	fresh     map[string]string // put since the last fence
	published map[string]string
	bytes     int
	live      int // members that have not left or died
	arrived   int // of those that live
	fencing   bool
}

// member is a rank that a Space serves; its fields are guarded by the Space's mu.
type member struct {
	rank    int
	state   State
	joined  bool     // has said init, whatever came later
	called  bool     // has dialed a port
	waiting *session // in a fence: where the answer goes
}

// State is how far a member has come.
type State uint8

// States of a member, in their order.
const (
	StateStarted State = iota // has not spoken yet; programs that are no members of a job stay there
	StateJoined               // has said init
	StateLeft                 // has said finalize
	StateGone                 // its process is dead or its connection was lost
)

// NewSpace checks c and makes the Space.
func NewSpace(c SpaceConfig) (*Space, error) {
	if c.Size < 1 || c.Size > maxSize {
		return nil, bad("new", fmt.Sprintf("%d members: want 1 to %d", c.Size, maxSize))
	}
	if c.ID == "" {
		c.ID = "job_" + rand.Text()
	}
	if c.Mapping == "" {
		c.Mapping = fmt.Sprintf("(vector,(0,1,%d))", c.Size)
	}
	if c.Universe < c.Size {
		c.Universe = c.Size
	}
	if c.Ranks == nil {
		for rank := range c.Size {
			c.Ranks = append(c.Ranks, rank)
		}
	}
	s := &Space{c: c, members: map[int]*member{}, fresh: map[string]string{}, published: map[string]string{}}
	for _, rank := range c.Ranks {
		if rank < 0 || rank >= c.Size || s.members[rank] != nil {
			return nil, bad("new", fmt.Sprintf("rank %d of %d: want each rank once", rank, c.Size))
		}
		s.members[rank] = &member{rank: rank}
	}
	s.live = len(s.members)
	return s, nil
}

// State tells how far a member has come. A rank that is not served here is gone.
func (s *Space) State(rank int) State {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m := s.members[rank]; m != nil {
		return m.state
	}
	return StateGone
}

// Gone tells that a member's process has ended. Fences do not wait for one that was never a member or has left; for one
// that died as a member see [SpaceConfig.KeepGoing].
func (s *Space) Gone(rank int) { s.leave(rank, StateGone) }

// leave takes a member out of the fences.
func (s *Space) leave(rank int, to State) {
	s.mu.Lock()
	m := s.members[rank]
	if m == nil || m.state >= to {
		s.mu.Unlock()
		return
	}
	before := m.state
	m.state = to
	if before >= StateLeft {
		s.mu.Unlock()
		return
	}
	if m.waiting != nil {
		m.waiting = nil
		s.arrived--
	}
	if to == StateGone && before == StateJoined && !s.c.KeepGoing {
		s.mu.Unlock()
		return
	}
	s.live--
	after := s.complete()
	if s.live == 0 && s.c.Left != nil {
		fence := after
		after = func() { fence(); s.c.Left() }
	}
	s.mu.Unlock()
	after()
}

// complete ends a fence that all have entered. The caller holds mu, and calls what comes back without it.
func (s *Space) complete() func() {
	if s.fencing || s.arrived == 0 || s.arrived < s.live {
		return func() {}
	}
	s.fencing = true
	puts := s.fresh
	s.fresh = map[string]string{}
	if s.c.Exchange == nil {
		return func() { s.Release(puts) }
	}
	return func() { s.c.Exchange(puts) }
}

// Release ends the fence that [SpaceConfig.Exchange] told of: puts becomes visible, the members go on.
func (s *Space) Release(puts map[string]string) {
	s.mu.Lock()
	maps.Copy(s.published, puts)
	s.fencing = false
	s.arrived = 0
	var out []*session
	for _, rank := range s.c.Ranks {
		if m := s.members[rank]; m.waiting != nil {
			out = append(out, m.waiting)
			m.waiting = nil
		}
	}
	s.mu.Unlock()
	for _, c := range out {
		c.release()
	}
}

// enter puts a member into the fence.
func (s *Space) enter(m *member, c *session) error {
	s.mu.Lock()
	if m.waiting != nil || m.state != StateJoined {
		s.mu.Unlock()
		return fmt.Errorf("barrier_in of a member that %s", m.state.in(m.waiting != nil))
	}
	m.waiting = c
	s.arrived++
	after := s.complete()
	s.mu.Unlock()
	after()
	return nil
}

func (s State) in(fence bool) string {
	if fence {
		return "is in the barrier already"
	}
	return [...]string{"has not said init", "has joined", "has left", "is gone"}[s]
}

// put keeps a pair until the next fence.
func (s *Space) put(key, value string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if key == "" || len(key) > maxKey || len(value) > maxValue {
		return fmt.Errorf("key_of_%d_and_value_of_%d_bytes_not_in_1-%d_and_0-%d", len(key), len(value), maxKey, maxValue)
	}
	if s.bytes += len(key) + len(value); s.bytes > maxSpace {
		return fmt.Errorf("more_than_%d_bytes_put", maxSpace)
	}
	s.fresh[key] = value
	return nil
}

// get looks a key up. What was put since the last fence is seen too, as with other servers, where it is of this host and
// does not replace what all have seen.
func (s *Space) get(key string) (string, bool) {
	if key == "PMI_process_mapping" {
		return s.c.Mapping, true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if v, ok := s.published[key]; ok {
		return v, true
	}
	v, ok := s.fresh[key]
	return v, ok
}

func (s *Space) note(rank int, text string) {
	if s.c.Note != nil {
		s.c.Note(rank, text)
	}
}

// Mapping makes a value of PMI_process_mapping from the node of each rank.
func Mapping(nodes []int) string {
	type block struct{ first, nodes, ranks int }
	var blocks []block
	for at := 0; at < len(nodes); {
		n := 1
		for at+n < len(nodes) && nodes[at+n] == nodes[at] {
			n++
		}
		if k := len(blocks) - 1; k >= 0 && blocks[k].ranks == n && blocks[k].first+blocks[k].nodes == nodes[at] {
			blocks[k].nodes++
		} else {
			blocks = append(blocks, block{nodes[at], 1, n})
		}
		at += n
	}
	out := []byte("(vector")
	for b := range slices.Values(blocks) {
		out = fmt.Appendf(out, ",(%d,%d,%d)", b.first, b.nodes, b.ranks)
	}
	return string(append(out, ')'))
}

func bad(op, hint string) error {
	return &fi.Error{Provider: "pmi/server", Op: op, Err: fi.ErrInvalid, Hint: hint}
}
