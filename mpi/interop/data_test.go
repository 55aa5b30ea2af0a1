package interop_test

import (
	"math"

	"github.com/gofabric/gofabric/mpi"
)

// Types and operations, as scripts number them.
const (
	typeI32 = iota
	typeI64
	typeF32
	typeF64
	typeU8
	typeU16
	typeInts
	typeDoubleInt
	typeMatrix
)

const (
	opPlain = iota
	opSum
	opProd
	opMin
	opMax
	opBand
	opBor
	opBxor
	opLand
	opLor
	opLxor
	opMinLoc
	opMaxLoc
	opReplace
	opProduct
)

// matrix has two rows and two columns; its product does not commute.
type matrix [4]uint64

func product(acc, in []matrix) {
	for i, b := range in {
		a := acc[i]
		acc[i] = matrix{a[0]*b[0] + a[1]*b[2], a[0]*b[1] + a[1]*b[3], a[2]*b[0] + a[3]*b[2], a[2]*b[1] + a[3]*b[3]}
	}
}

var ops = []mpi.Op{
	opSum: mpi.Sum, opProd: mpi.Prod, opMin: mpi.Min, opMax: mpi.Max, opBand: mpi.Band, opBor: mpi.Bor, opBxor: mpi.Bxor,
	opLand: mpi.Land, opLor: mpi.Lor, opLxor: mpi.Lxor, opMinLoc: mpi.MinLoc, opMaxLoc: mpi.MaxLoc, opReplace: mpi.Replace,
	opProduct: mpi.OpFunc(product, false),
}

// sizes are the bytes of an element of each type, about.
var sizes = []int{4, 8, 4, 8, 1, 2, 8, 16, 32}

func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// value is a number of which sums and products are exact in all types; of small unsigned ones Open MPI makes sums that do not
// wrap, and MPICH takes the large ones for negative.
func value[T int32 | int64 | uint8 | uint16 | float32 | float64](op int, h uint64) int64 {
	var zero T
	natural := zero-1 > 0
	inexact := T(1)/2 != 0
	switch {
	case natural && op == opSum:
		return int64(h % 28)
	case natural && op == opProd:
		return []int64{1, 2, 1}[h%3]
	case natural && (op == opMin || op == opMax):
		return int64(h % 128)
	}
	switch op {
	case opSum:
		return int64(h%201) - 100
	case opProd:
		return []int64{1, 2, -1}[h%3]
	case opLand, opLor, opLxor:
		return int64(h % 3)
	}
	if inexact {
		return int64(h%2001) - 1000
	}
	return int64(h)
}

func fold(d, v uint64) uint64 { return (d ^ v) * 0x100000001b3 }

// kind knows the elements of one type.
type kind[T any] struct {
	set  func(op int, h uint64) T
	fold func(d uint64, v T) uint64
	int  func(v T) int64
	one  T
}

func integers[T int32 | int64 | uint8 | uint16]() kind[T] {
	return kind[T]{
		set:  func(op int, h uint64) T { return T(value[T](op, h)) },
		fold: func(d uint64, v T) uint64 { return fold(d, uint64(int64(v))) },
		int:  func(v T) int64 { return int64(v) },
		one:  1,
	}
}

func floats[T float32 | float64]() kind[T] {
	return kind[T]{
		set:  func(op int, h uint64) T { return T(value[T](op, h)) },
		fold: func(d uint64, v T) uint64 { return fold(d, math.Float64bits(float64(v))) },
		int:  func(v T) int64 { return int64(v) },
		one:  1,
	}
}

var (
	ints = kind[mpi.Loc[int32]]{
		set: func(_ int, h uint64) mpi.Loc[int32] {
			return mpi.Loc[int32]{Value: int32(h % 5), Index: int(h / 8 % 100)}
		},
		fold: func(d uint64, v mpi.Loc[int32]) uint64 { return fold(fold(d, uint64(int64(v.Value))), uint64(v.Index)) },
	}
	doubleInt = kind[mpi.Loc[float64]]{
		set: func(_ int, h uint64) mpi.Loc[float64] {
			return mpi.Loc[float64]{Value: float64(h % 5), Index: int(h / 8 % 100)}
		},
		fold: func(d uint64, v mpi.Loc[float64]) uint64 {
			return fold(fold(d, math.Float64bits(v.Value)), uint64(v.Index))
		},
	}
	matrices = kind[matrix]{
		set: func(_ int, h uint64) (m matrix) {
			for k := range m {
				m[k] = mix(h+uint64(k))%7 - 3
			}
			return m
		},
		fold: func(d uint64, m matrix) uint64 {
			for _, v := range m {
				d = fold(d, v)
			}
			return d
		},
	}
)

// element is value i of a vector of a rank at a step.
func (k kind[T]) element(step, op, who, salt, i int) T {
	return k.set(op, mix(((uint64(step)*64+uint64(who))*64+uint64(salt))<<32+uint64(i)))
}

func (k kind[T]) fill(p []T, step, op, who, salt int) []T {
	for i := range p {
		p[i] = k.element(step, op, who, salt, i)
	}
	return p
}

func (k kind[T]) filled(step, op, who, salt, n int) []T {
	return k.fill(make([]T, n), step, op, who, salt)
}

func (k kind[T]) digest(p []T) uint64 {
	d := uint64(0xcbf29ce484222325)
	for _, v := range p {
		d = k.fold(d, v)
	}
	return d
}
