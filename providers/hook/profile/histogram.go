package profile

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// histogram counts times in nanoseconds: those below 8 each, others by their highest bit and the three bits after it.
type histogram [8 * 62]atomic.Uint32

// slot is where a time is counted.
func slot(d time.Duration) int {
	n := uint64(max(d, 0))
	if n < 8 {
		return int(n)
	}
	high := bits.Len64(n) - 1 // 3 or more
	return (high-2)*8 + int(n>>(high-3)&7)
}

// lowest is the shortest time of a slot.
func lowest(s int) time.Duration {
	if s < 8 {
		return time.Duration(s)
	}
	high := s/8 + 2
	return time.Duration((8 + uint64(s%8)) << (high - 3))
}

func (h *histogram) add(d time.Duration) { h[slot(d)].Add(1) }

// quantile is the time within which a part of what was counted was done, in words; "-" where nothing was.
func (h *histogram) quantile(part float64) string {
	total := uint64(0)
	for i := range h {
		total += uint64(h[i].Load())
	}
	if total == 0 {
		return "-"
	}
	need := uint64(part*float64(total) + 0.999999)
	for i := range h {
		n := uint64(h[i].Load())
		if n >= need {
			return short((lowest(i) + lowest(i+1)) / 2)
		}
		need -= n
	}
	return "-"
}

// short is a time with three digits.
func short(d time.Duration) string {
	unit := time.Nanosecond
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit).String()
}
