package device

import (
	"encoding/binary"
	"slices"
)

// Vote is what a member says in an agreement.
type Vote struct {
	And  uint64 // the result has the bits that all votes have
	Most uint32 // the result has the largest one
}

// Decision is what all members have agreed on.
type Decision struct {
	Vote
	Failed []int // world ranks of the members that were taken for gone
	// Unacknowledged says that one of these was not acknowledged by a member that has voted.
	Unacknowledged bool
}

// ballot is a vote, or a decision, as it is sent, little-endian:
//
//	0 context (4)  4 number (4)  8 and (8)  16 most (4)  20 flags (1)  21... a bit for each rank of the world that is gone,
//	then a bit for each of them that the voter has acknowledged
type ballot struct {
	context, number uint32
	Vote
	unacked bool
	failed  []bool
	acked   []bool
}

const ballotHeader = 21

// voteSize is the size of a ballot in a job.
func voteSize(size int) int { return ballotHeader + 2*((size+7)/8) }

func (v *ballot) encode() []byte {
	size := len(v.failed)
	b := make([]byte, voteSize(size))
	le := binary.LittleEndian
	le.PutUint32(b, v.context)
	le.PutUint32(b[4:], v.number)
	le.PutUint64(b[8:], v.And)
	le.PutUint32(b[16:], v.Most)
	if v.unacked {
		b[20] = 1
	}
	putBits(b[ballotHeader:], v.failed)
	putBits(b[ballotHeader+(size+7)/8:], v.acked)
	return b
}

func decodeBallot(b []byte, size int) (v ballot, ok bool) {
	if len(b) != voteSize(size) || b[20] > 1 {
		return v, false
	}
	le := binary.LittleEndian
	v.context, v.number = le.Uint32(b), le.Uint32(b[4:])
	v.And, v.Most, v.unacked = le.Uint64(b[8:]), le.Uint32(b[16:]), b[20] == 1
	v.failed = bits(b[ballotHeader:], size)
	v.acked = bits(b[ballotHeader+(size+7)/8:], size)
	return v, true
}

func putBits(b []byte, set []bool) {
	for i, v := range set {
		if v {
			b[i/8] |= 1 << (i % 8)
		}
	}
}

func bits(b []byte, n int) []bool {
	set := make([]bool, n)
	for i := range set {
		set[i] = b[i/8]>>(i%8)&1 == 1
	}
	return set
}

// add folds another vote in.
func (v *ballot) add(w *ballot) {
	v.And &= w.And
	v.Most = max(v.Most, w.Most)
	for i := range v.failed {
		v.failed[i] = v.failed[i] || w.failed[i]
		v.acked[i] = v.acked[i] && w.acked[i]
	}
}

func (v *ballot) clone() *ballot {
	w := *v
	w.failed, w.acked = slices.Clone(v.failed), slices.Clone(v.acked)
	return &w
}

func (v *ballot) decision() Decision {
	x := Decision{Vote: v.Vote, Unacknowledged: v.unacked}
	for r, gone := range v.failed {
		if gone {
			x.Failed = append(x.Failed, r)
		}
	}
	return x
}
