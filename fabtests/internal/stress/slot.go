package stress

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/gofabric/gofabric/fi"
)

// slot is a place in a rank's memory that atomics work on: always the same operation, so that their order is of no account.
type slot struct {
	Rank, Kind int
	Off        int // behind what is written
}

// slotKind is an operation, and what must be there in the end.
type slotKind struct {
	op      fi.AtomicOp
	dt      fi.Datatype
	size    int
	kind    fi.AtomicKind
	fetches bool // it brings the old value: no two bring the same
	swaps   bool
}

var slotKinds = []slotKind{
	{op: fi.AtomicSum, dt: fi.TypeUint64, size: 8},
	{op: fi.AtomicSum, dt: fi.TypeUint64, size: 8, kind: fi.AtomicFetch, fetches: true},
	{op: fi.AtomicCSwap, dt: fi.TypeUint64, size: 8, kind: fi.AtomicCompare, fetches: true, swaps: true},
	{op: fi.AtomicBOr, dt: fi.TypeUint64, size: 8},
	{op: fi.AtomicBXor, dt: fi.TypeUint32, size: 4},
	{op: fi.AtomicMax, dt: fi.TypeInt64, size: 8},
	{op: fi.AtomicMin, dt: fi.TypeInt32, size: 4},
	{op: fi.AtomicSum, dt: fi.TypeDouble, size: 8},
}

// operand is what a step gives to its slot: a small number, 1 where old values are compared.
func (p *phase) operand(s *step) uint64 {
	k := &slotKinds[p.Slots[s.Slot].Kind]
	x := p.key(s.ID) >> 40
	switch {
	case k.fetches:
		return 1
	case k.dt == fi.TypeDouble:
		return math.Float64bits(float64(x))
	}
	return x
}

// put writes an operand.
func put(b []byte, v uint64) {
	if len(b) == 4 {
		binary.NativeEndian.PutUint32(b, uint32(v))
	} else {
		binary.NativeEndian.PutUint64(b, v)
	}
}

// get reads a value.
func get(b []byte) uint64 {
	if len(b) == 4 {
		return uint64(binary.NativeEndian.Uint32(b))
	}
	return binary.NativeEndian.Uint64(b)
}

// first is what a slot of a kind holds in the beginning.
func (k *slotKind) first() uint64 {
	if k.op == fi.AtomicMin {
		return math.MaxInt32
	}
	return 0
}

// final is what a slot holds in the end.
func (p *phase) final(index int) uint64 {
	k := &slotKinds[p.Slots[index].Kind]
	sum := k.first()
	for _, s := range p.Steps {
		if s.Kind != atomically || s.Slot != index {
			continue
		}
		v := p.operand(s)
		switch {
		case k.dt == fi.TypeDouble:
			sum = math.Float64bits(math.Float64frombits(sum) + math.Float64frombits(v))
		case k.op == fi.AtomicBOr:
			sum |= v
		case k.op == fi.AtomicBXor:
			sum ^= v
		case k.op == fi.AtomicMax:
			sum = max(sum, v)
		case k.op == fi.AtomicMin: // all are positive
			sum = min(sum, v)
		default:
			sum += v
		}
	}
	return sum
}

// fetched is an old value that an atomic has brought.
type fetched struct {
	Slot, Step int
	Value      uint64
}

// allFetched checks that the old values of each slot are 0, 1, 2, …: each was brought once. It gives the step of the first
// that is not, or -1.
func (p *phase) allFetched(all []fetched) (int, string) {
	bySlot := map[int][]fetched{}
	for _, f := range all {
		bySlot[f.Slot] = append(bySlot[f.Slot], f)
	}
	for index, at := range p.Slots {
		if !slotKinds[at.Kind].fetches {
			continue
		}
		got := bySlot[index]
		slices.SortFunc(got, func(a, b fetched) int {
			if a.Value != b.Value {
				if a.Value < b.Value {
					return -1
				}
				return 1
			}
			return a.Step - b.Step
		})
		for i, f := range got {
			if f.Value != uint64(i) {
				return f.Step, fmt.Sprintf("slot %d: the old values of its %d atomics are 0, 1, 2, … each once; number %d is %d", index, len(got), i, f.Value)
			}
		}
	}
	return -1, ""
}
