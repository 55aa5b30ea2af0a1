package segment

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"sync/atomic"

	"github.com/gofabric/gofabric/internal/osx"
)

// The memory:
//
//	0                   spoiled, 4 bytes
//	64                  how many members sleep, 4 bytes
//	128                 users, 4 bytes: those that have not left
//	192                 a bit for each processor that a member may run on, 128 bytes
//	320                 a word of 4 bytes for each member: it sleeps
//	then                two lines of 128 bytes for each member, for even and odd steps:
//	                    step, 8 bytes; signatures of two such steps in turn, 16 bytes; small data, 40 bytes; unused
//	then                two areas for each member
const (
	atSpoiled  = 0
	atSleepers = 64
	atUsers    = 128
	atCPUs     = 192
	atFlags    = 320
	cpuWords   = (atFlags - atCPUs) / 8
	lineSize   = 128 // processors fetch lines of 64 bytes in pairs
	inline     = 40  // bytes of data in a line
	page       = 4096
)

// MaxMembers bounds the members of a segment.
const MaxMembers = 256

// area is how many bytes an area has, for a number of members: a second-level cache holds it, and all areas together are
// not too much.
func area(members int) int {
	const all, most = 4 << 20, 256 << 10
	return max(min(all/2/members, most)&^(page-1), page)
}

func areasFrom(members int) int {
	return (linesFrom(members) + 2*lineSize*members + page - 1) &^ (page - 1)
}

func linesFrom(members int) int { return (atFlags + 4*members + lineSize - 1) &^ (lineSize - 1) }

// Size is how much memory a segment needs. It begins as zeros.
func Size(members int) int { return areasFrom(members) + 2*members*area(members) }

// Waiter is what a segment needs of its surroundings.
type Waiter interface {
	// Idle is called again and again while the member waits for another one; turn counts the calls of one wait from 0. An
	// error ends the wait, and the task may be run again.
	Idle(ctx context.Context, s *Segment, member, turn int) error
	// Wake wakes a member that sleeps.
	Wake(member int)
}

// Errors of operations.
var (
	ErrMismatch = errors.New("the members called different operations")
	ErrSpoiled  = errors.New("an operation before this one has failed at a member")
	ErrLost     = errors.New("a member has given up, since somebody has failed")
)

// What a segment is spoiled by; the first one counts.
const (
	byMismatch = 1
	byLoss     = 2
)

// Segment is a member's view of the memory.
type Segment struct {
	members, rank int
	w             Waiter
	looks         int

	spoiled, sleepers, users *atomic.Uint32
	cpus                     [cpuWords]*atomic.Uint64
	flags                    []*atomic.Uint32
	lines                    []line // two for each member
	areas                    [][]byte

	step   uint64 // the last one of the operations that have begun
	seen   uint64 // all members are known to have published it
	wanted uint64 // what is waited for while Idle is called
}

// line is a member's, for even or odd steps. A member may publish a step in which it waits for nobody, and the one after it,
// while another one still looks for its signature of the step before: so there are two.
type line struct {
	step *atomic.Uint64
	sigs [2]*uint64
	data []byte
}

func (l *line) sig(step uint64) *uint64 { return l.sigs[step>>1&1] }

// New gives a view of memory of [Size] bytes, aligned to a page.
//
// Errors: a number of members that cannot be; memory that is too small.
func New(mem []byte, members, rank int, w Waiter) (*Segment, error) {
	switch {
	case members < 1 || members > MaxMembers || rank < 0 || rank >= members:
		return nil, fmt.Errorf("segment: member %d of %d: there can be %d", rank, members, MaxMembers)
	case len(mem) < Size(members):
		return nil, fmt.Errorf("segment: %d bytes for %d members, which need %d", len(mem), members, Size(members))
	}
	s := &Segment{members: members, rank: rank, w: w, looks: crowdedLooks}
	s.spoiled, s.sleepers, s.users = word(mem, atSpoiled), word(mem, atSleepers), word(mem, atUsers)
	for i := range s.cpus {
		s.cpus[i] = counter(mem, atCPUs+8*i)
	}
	for m := range members {
		s.flags = append(s.flags, word(mem, atFlags+4*m))
		for parity := range 2 {
			at := linesFrom(members) + (2*m+parity)*lineSize
			s.lines = append(s.lines, line{counter(mem, at), [2]*uint64{number(mem, at+8), number(mem, at+16)}, mem[at+24 : at+24+inline]})
			from := areasFrom(members) + (2*m+parity)*area(members)
			s.areas = append(s.areas, mem[from:from+area(members)])
		}
	}
	return s, nil
}

// Area is how many bytes of one member fit into a step.
func (s *Segment) Area() int { return len(s.areas[0]) }

// Join counts a user of the memory, Leave takes one back; Users is how many there are: whoever owns the memory frees it
// after the last one. Join also says which processors this member may run on.
func (s *Segment) Join() {
	s.users.Add(1)
	for _, cpu := range osx.CPUs() {
		s.cpus[cpu/64%cpuWords].Or(1 << (cpu % 64))
	}
}

// Settle is called when all members have joined, before the first operation: it tells whether each can have a processor of
// its own.
func (s *Segment) Settle() {
	n := 0
	for _, w := range s.cpus {
		n += bits.OnesCount64(w.Load())
	}
	if s.looks = crowdedLooks; s.members <= n {
		s.looks = looks
	}
}

// Leave is the opposite of Join. Nothing may be called afterwards but Users.
func (s *Segment) Leave() { s.users.Add(^uint32(0)) }

// Users tells how many have joined and not left.
func (s *Segment) Users() int { return int(s.users.Load()) }

// Spoil ends all operations at all members, now and later, since they do not agree: ErrSpoiled.
func (s *Segment) Spoil() { s.spoil(byMismatch) }

// Abandon ends them because of something outside, which the others will hear of: ErrLost.
func (s *Segment) Abandon() { s.spoil(byLoss) }

func (s *Segment) spoil(by uint32) {
	s.spoiled.CompareAndSwap(0, by)
	s.wakeAll()
}

// why is the error of a segment that is spoiled.
func (s *Segment) why() error {
	if s.spoiled.Load() == byLoss {
		return ErrLost
	}
	return ErrSpoiled
}

// line and area of a member in a step.
func (s *Segment) line(member int, step uint64) *line { return &s.lines[2*member+int(step&1)] }
func (s *Segment) area(member int, step uint64) []byte {
	return s.areas[2*member+int(step&1)]
}
