package atomic

import (
	"math/bits"

	"github.com/gofabric/gofabric/fi"
)

// integers128 is the family of a 128-bit integer; signed and unsigned differ in their order alone.
func integers128(less func(a, b u128) bool) *family[u128] {
	f := compared(func(a, b u128) bool { return a == b }, less)
	f.step[fi.AtomicSum] = sum128
	f.step[fi.AtomicDiff] = diff128
	f.step[fi.AtomicProd] = prod128
	f.step[fi.AtomicBOr] = func(t, o, _ u128) (u128, bool) { return u128{lo: t.lo | o.lo, hi: t.hi | o.hi}, true }
	f.step[fi.AtomicBAnd] = func(t, o, _ u128) (u128, bool) { return u128{lo: t.lo & o.lo, hi: t.hi & o.hi}, true }
	f.step[fi.AtomicBXor] = func(t, o, _ u128) (u128, bool) { return u128{lo: t.lo ^ o.lo, hi: t.hi ^ o.hi}, true }
	f.step[fi.AtomicLOr] = func(t, o, _ u128) (u128, bool) { return truth128(t != u128{} || o != u128{}), true }
	f.step[fi.AtomicLAnd] = func(t, o, _ u128) (u128, bool) { return truth128(t != u128{} && o != u128{}), true }
	f.step[fi.AtomicLXor] = func(t, o, _ u128) (u128, bool) { return truth128((t != u128{}) != (o != u128{})), true }
	f.step[fi.AtomicMSwap] = func(t, o, c u128) (u128, bool) {
		return u128{lo: o.lo&c.lo | t.lo&^c.lo, hi: o.hi&c.hi | t.hi&^c.hi}, true
	}
	return f
}

func lessUint128(a, b u128) bool { return a.hi < b.hi || a.hi == b.hi && a.lo < b.lo }

func lessInt128(a, b u128) bool { return int64(a.hi) < int64(b.hi) || a.hi == b.hi && a.lo < b.lo }

func sum128(t, o, _ u128) (u128, bool) {
	lo, carry := bits.Add64(t.lo, o.lo, 0)
	hi, _ := bits.Add64(t.hi, o.hi, carry)
	return u128{lo: lo, hi: hi}, true
}

func diff128(t, o, _ u128) (u128, bool) {
	lo, borrow := bits.Sub64(t.lo, o.lo, 0)
	hi, _ := bits.Sub64(t.hi, o.hi, borrow)
	return u128{lo: lo, hi: hi}, true
}

// prod128 keeps the low 128 bits, which are the same for signed and unsigned factors.
func prod128(t, o, _ u128) (u128, bool) {
	hi, lo := bits.Mul64(t.lo, o.lo)
	return u128{lo: lo, hi: hi + t.hi*o.lo + t.lo*o.hi}, true
}

func truth128(b bool) u128 {
	if b {
		return u128{lo: 1}
	}
	return u128{}
}
