package stress

import (
	"fmt"

	"github.com/gofabric/gofabric/fi"
)

// kind is what a step does.
type kind int

const (
	sendMsg kind = iota
	sendTagged
	write
	read
	atomically
	cancelOnly // a receive that no message comes for
)

var kindNames = []string{"message", "tagged message", "write", "read", "atomic", "cancelled receive"}

func (k kind) String() string { return kindNames[k] }

// form is by which call a step is posted.
type form int

const (
	plain form = iota
	vector
	general
	injected
)

var formNames = []string{"plain", "vector", "general", "inject"}

func (f form) String() string { return formNames[f] }

// recvForm is how a tagged message is received.
type recvForm int

const (
	recvPlain     recvForm = iota
	recvRace               // the receive is cancelled at some time, and posted again when that was before the message
	recvPeek               // looked at, then received
	recvClaim              // claimed, then received
	recvDrop               // looked at and dropped
	recvClaimDrop          // claimed, then dropped
)

var recvNames = []string{"received", "received after a cancel", "peeked and received", "claimed", "discarded by a peek", "claimed and discarded"}

func (f recvForm) String() string { return recvNames[f] }

// step is one operation and what it does at the other side.
type step struct {
	ID       int
	Kind     kind
	From, To place
	Size     int
	Form     form
	Parts    int // of the local vector
	Level    fi.OpFlags
	Data     bool // it carries data for the target's completion
	Second   bool // it uses the peer's second name
	Header   bool // its bytes begin with its number

	Recv        recvForm
	RParts      int
	Directed    bool
	Tag, Ignore uint64
	Late        int // turns that the receiver lets go by, or after which it cancels

	Off  int // of remote memory
	Slot int // of an atomic
}

// data is what a step's completion carries to the target: different for each step of a phase.
func (p *phase) data(s *step) uint64 {
	d := uint64(s.ID+1) | p.key(s.ID)<<32
	if p.Limits.Data < 8 {
		d &= 1<<(8*p.Limits.Data) - 1
	}
	return d
}

func (s *step) String() string {
	text := fmt.Sprintf("step %d: %v", s.ID, s.Kind)
	if s.Kind == cancelOnly {
		return text + fmt.Sprintf(" of rank %d, endpoint %d", s.To.Rank, s.To.Lane)
	}
	text += fmt.Sprintf(" of %d bytes from rank %d, endpoint %d, to rank %d, endpoint %d, %v", s.Size, s.From.Rank, s.From.Lane,
		s.To.Rank, s.To.Lane, s.Form)
	if s.Parts > 1 {
		text += fmt.Sprintf(", %d buffers", s.Parts)
	}
	if s.Level != 0 {
		text += fmt.Sprintf(", %v", s.Level)
	}
	if s.Data {
		text += ", with data"
	}
	if s.Second {
		text += ", by a second name"
	}
	switch s.Kind {
	case sendTagged:
		text += fmt.Sprintf(", tag %#x, %v", s.Tag, s.Recv)
	case write, read:
		text += fmt.Sprintf(", at %d", s.Off)
	case atomically:
		text += fmt.Sprintf(", slot %d", s.Slot)
	}
	if s.Late > 0 {
		text += fmt.Sprintf(", late by %d", s.Late)
	}
	return text
}
