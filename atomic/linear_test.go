package atomic

import (
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/anishathalye/porcupine"
	"github.com/gofabric/gofabric/fi"
)

// linearOps are drawn from, as far as a type has them.
var linearOps = []struct {
	kind fi.AtomicKind
	op   fi.AtomicOp
}{
	{fi.AtomicFetch, fi.AtomicSum}, {fi.AtomicFetch, fi.AtomicWrite}, {fi.AtomicFetch, fi.AtomicRead},
	{fi.AtomicCompare, fi.AtomicCSwap}, {fi.AtomicCompare, fi.AtomicCSwapLT}, {fi.AtomicFetch, fi.AtomicMax},
	{fi.AtomicBase, fi.AtomicDiff}, {fi.AtomicFetch, fi.AtomicLXor},
}

// linearCall is one call of a recorded history, and linearModel the register that it must fit: the reference.
type linearCall struct {
	k                *Kernel
	operand, compare string
}

func linearModel(dt fi.Datatype) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return string(make([]byte, dt.Size())) },
		Step: func(state, input, output any) (bool, any) {
			target, c := []byte(state.(string)), input.(linearCall)
			next := reference(dt, c.k.Op(), target, []byte(c.operand), []byte(c.compare))
			fits := !c.k.GivesResult() || output.(string) == state.(string)
			return fits, string(next)
		},
	}
}

// TestLinearizable mixes operations on one element from several goroutines and looks for an order of them that
// explains every result.
func TestLinearizable(t *testing.T) {
	for _, dt := range []fi.Datatype{fi.TypeUint8, fi.TypeInt16, fi.TypeUint32, fi.TypeInt64, fi.TypeDouble, fi.TypeFloat16, fi.TypeUint128} {
		t.Run(typeNames[dt], func(t *testing.T) {
			if !lookup(t, fi.AtomicFetch, dt, fi.AtomicRead).Shared() {
				t.Skip("known: this processor has no atomic of 16 bytes")
			}
			for seed := range uint64(30) {
				if history := record(t, dt, seed); !porcupine.CheckOperations(linearModel(dt), history) {
					t.Fatalf("seed %d: no order of %d operations explains their results", seed, len(history))
				}
			}
		})
	}
}

// record runs a random mix and notes who called what, when, with which result.
func record(t *testing.T, dt fi.Datatype, seed uint64) []porcupine.Operation {
	zero, two := make([]byte, dt.Size()), one(dt)
	if err := lookup(t, fi.AtomicBase, dt, fi.AtomicSum).Apply(two, one(dt), nil, nil, 1); err != nil {
		t.Fatal(err)
	}
	values := [][]byte{zero, one(dt), two}

	var clock atomic.Int64
	target, histories := aligned(dt.Size()), make([][]porcupine.Operation, workers)
	together(func(w int) {
		r := rand.New(rand.NewPCG(seed, uint64(w)))
		for range 30 {
			o := linearOps[r.IntN(len(linearOps))]
			k, err := Lookup(o.kind, dt, o.op)
			if err != nil {
				t.Error(err)
				return
			}
			operand, compare, result := values[r.IntN(3)], values[r.IntN(3)], make([]byte, dt.Size())
			call := clock.Add(1)
			err = k.ApplyShared(target, operand, compare, result, 1)
			back := clock.Add(1)
			if err != nil {
				t.Error(err)
			}
			histories[w] = append(histories[w], porcupine.Operation{
				ClientId: w, Input: linearCall{k, string(operand), string(compare)},
				Call: call, Output: string(result), Return: back,
			})
		}
	})
	return slices.Concat(histories...)
}
