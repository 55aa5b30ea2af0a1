package atomic

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gofabric/gofabric/fi"
)

const workers = 4

// rounds is fewer under the race detector, which is slow.
var rounds = map[bool]int{false: 30_000, true: 4_000}[raceEnabled]

// together runs workers that begin at the same time, as far as there are processors: they wait by looking.
func together(f func(worker int)) {
	var ready atomic.Int32
	var done sync.WaitGroup
	for w := range workers {
		done.Go(func() {
			for ready.Add(1); ready.Load() < workers; {
				runtime.Gosched()
			}
			f(w)
		})
	}
	done.Wait()
}

// contended says whether a worker shall go on after n rounds, in which it met others so many times: rounds of one that
// ran alone prove nothing, but with one processor there may never be others.
func contended(n, met int) bool {
	return n < 1000 || met < 300 && n < 5*rounds
}

// one is the value 1 of a type.
func one(dt fi.Datatype) []byte {
	b := make([]byte, dt.Size())
	switch dt {
	case fi.TypeFloatComplex:
		return c64(1)
	case fi.TypeDoubleComplex:
		return c128(1)
	case fi.TypeFloat, fi.TypeDouble, fi.TypeFloat16, fi.TypeBFloat16, fi.TypeFloat8E4M3, fi.TypeFloat8E5M2:
		return fromFloat(dt, 1)
	}
	if bigEndian {
		b[len(b)-1] = 1
	} else {
		b[0] = 1
	}
	return b
}

// TestConcurrentSum adds and subtracts ones from several goroutines; none may be lost.
func TestConcurrentSum(t *testing.T) {
	for _, dt := range allTypes {
		t.Run(typeNames[dt], func(t *testing.T) {
			sum, diff := lookup(t, fi.AtomicBase, dt, fi.AtomicSum), lookup(t, fi.AtomicFetch, dt, fi.AtomicDiff)
			if !sum.Shared() {
				t.Skip("known: this processor has no atomic of 16 bytes")
			}
			target := aligned(dt.Size())
			copy(target, one(dt))
			// Never more than four above 1, which even the smallest float counts exactly.
			together(func(w int) {
				v, result := one(dt), make([]byte, dt.Size())
				for range rounds {
					_ = sum.ApplyShared(target, v, nil, nil, 1)
					_ = diff.ApplyShared(target, v, nil, result, 1)
				}
			})
			if !bytes.Equal(target, one(dt)) {
				t.Errorf("target is %x, want %x", target, one(dt))
			}
		})
	}
}

// TestFetchSumIsALine demands that the previous values of all increments are all the numbers, each once.
func TestFetchSumIsALine(t *testing.T) {
	for _, dt := range []fi.Datatype{fi.TypeInt32, fi.TypeUint64, fi.TypeDouble, fi.TypeFloat, fi.TypeUint128} {
		t.Run(typeNames[dt], func(t *testing.T) {
			k := lookup(t, fi.AtomicFetch, dt, fi.AtomicSum)
			if !k.Shared() {
				t.Skip("known: this processor has no atomic of 16 bytes")
			}
			target, seen := aligned(k.Size()), make([][]uint64, workers)
			together(func(w int) {
				v, result := one(dt), make([]byte, k.Size())
				for n, met := 0, 0; contended(n, met); n++ {
					_ = k.ApplyShared(target, v, nil, result, 1)
					old := asCount(dt, result)
					if n > 0 && old != seen[w][n-1]+1 {
						met++
					}
					seen[w] = append(seen[w], old)
				}
			})
			all := slices.Concat(seen...)
			for w := range seen {
				if !slices.IsSorted(seen[w]) {
					t.Errorf("worker %d went back", w)
				}
			}
			slices.Sort(all)
			for i, v := range all {
				if v != uint64(i) {
					t.Fatalf("previous value %d of %d is %d", i, len(all), v)
				}
			}
		})
	}
}

func asCount(dt fi.Datatype, b []byte) uint64 {
	switch dt {
	case fi.TypeFloat, fi.TypeDouble:
		return uint64(toFloat(dt, b))
	}
	return toBig(dt, b).Uint64()
}

// TestConcurrentCSwap increments by compare-and-swap: each success takes one number, none twice.
func TestConcurrentCSwap(t *testing.T) {
	for _, dt := range []fi.Datatype{fi.TypeUint16, fi.TypeUint32, fi.TypeInt64, fi.TypeDouble, fi.TypeUint128} {
		t.Run(typeNames[dt], func(t *testing.T) {
			k, sum := lookup(t, fi.AtomicCompare, dt, fi.AtomicCSwap), lookup(t, fi.AtomicBase, dt, fi.AtomicSum)
			if !k.Shared() {
				t.Skip("known: this processor has no atomic of 16 bytes")
			}
			target, counts := aligned(k.Size()), make([]uint64, workers)
			together(func(w int) {
				want, next, result := make([]byte, k.Size()), make([]byte, k.Size()), make([]byte, k.Size())
				for n, met := 0, 0; contended(n, met); n++ {
					copy(next, want)
					_ = sum.Apply(next, one(dt), nil, nil, 1)
					_ = k.ApplyShared(target, next, want, result, 1)
					if bytes.Equal(result, want) {
						counts[w]++
						copy(want, next)
						continue
					}
					met++
					copy(want, result)
				}
			})
			var total uint64
			for _, n := range counts {
				total += n
			}
			if dt.Size() == 2 {
				total &= 0xffff
			}
			if got := asCount(dt, target); got != total {
				t.Errorf("counted to %d, want %d", got, total)
			}
		})
	}
}

// TestNeighbours gives each worker elements of its own in the same words; nobody may disturb another.
func TestNeighbours(t *testing.T) {
	for _, dt := range []fi.Datatype{fi.TypeUint8, fi.TypeInt8, fi.TypeUint16, fi.TypeInt16} {
		t.Run(typeNames[dt], func(t *testing.T) {
			k, size := lookup(t, fi.AtomicBase, dt, fi.AtomicSum), dt.Size()
			all := aligned(8 + 2*workers*size + 8)
			for i := range all {
				all[i] = 0xc3
			}
			mine := all[8 : len(all)-8]
			clear(mine)
			together(func(w int) {
				v := one(dt)
				for range rounds {
					_ = k.ApplyShared(mine[w*size:], v, nil, nil, 1)
					_ = k.ApplyShared(mine[(2*workers-1-w)*size:], v, nil, nil, 1)
				}
			})
			want := fromBig(toBig(fi.TypeUint32, binary.NativeEndian.AppendUint32(nil, uint32(rounds))), size)
			if !bytes.Equal(mine, bytes.Repeat(want, 2*workers)) {
				t.Errorf("elements are %x, each should be %x", mine, want)
			}
			if len(bytes.Trim(all[:8], "\xc3"))+len(bytes.Trim(all[len(all)-8:], "\xc3")) != 0 {
				t.Errorf("bytes outside changed: %x", all)
			}
		})
	}
}

// TestPlainNeighbours writes a byte by plain stores while the byte beside it is a target.
func TestPlainNeighbours(t *testing.T) {
	if raceEnabled {
		t.Skip("known: to the race detector an atomic of a byte touches its whole word")
	}
	k := lookup(t, fi.AtomicBase, fi.TypeUint8, fi.AtomicSum)
	all := aligned(4)
	together(func(w int) {
		for i := range rounds {
			if w == 0 {
				all[1] = byte(i)
				continue
			}
			_ = k.ApplyShared(all[2:], []byte{1}, nil, nil, 1)
		}
	})
	if want := []byte{0, byte((rounds - 1) % 256), byte((workers - 1) * rounds % 256), 0}; !bytes.Equal(all, want) {
		t.Errorf("word is %x, want %x", all, want)
	}
}

// TestWideIsWhole writes values with equal halves and demands to read no other.
func TestWideIsWhole(t *testing.T) {
	if !Has16() {
		t.Skip("known: this processor has no atomic of 16 bytes")
	}
	write, read := lookup(t, fi.AtomicBase, fi.TypeUint128, fi.AtomicWrite), lookup(t, fi.AtomicFetch, fi.TypeUint128, fi.AtomicRead)
	target := aligned(16)
	var readers atomic.Int32
	readers.Store(workers / 2)
	together(func(w int) {
		if w%2 == 0 {
			for i := 0; readers.Load() > 0; i++ {
				half := i64(int64(w)<<32 + int64(i))
				v := slices.Concat(half, half)
				_ = write.ApplyShared(target, v, nil, nil, 1)
			}
			return
		}
		defer readers.Add(-1)
		last, result := make([]byte, 16), make([]byte, 16)
		for n, met := 0, 0; contended(n, met); n++ {
			_ = read.ApplyShared(target, nil, nil, result, 1)
			if !bytes.Equal(result[:8], result[8:]) {
				t.Errorf("read %x", result)
				return
			}
			if !bytes.Equal(result, last) {
				met++
				copy(last, result)
			}
		}
	})
}

// TestSharedOrdersMemory publishes a plain variable by an atomic of every width; the race detector watches.
func TestSharedOrdersMemory(t *testing.T) {
	for _, dt := range []fi.Datatype{fi.TypeUint8, fi.TypeUint16, fi.TypeUint32, fi.TypeUint64, fi.TypeUint128} {
		write, read := lookup(t, fi.AtomicBase, dt, fi.AtomicWrite), lookup(t, fi.AtomicFetch, dt, fi.AtomicRead)
		if !write.Shared() {
			continue
		}
		target, payload := aligned(16), 0
		together(func(w int) {
			if w == 0 {
				payload = 42
				_ = write.ApplyShared(target, one(dt), nil, nil, 1)
				return
			}
			result := make([]byte, dt.Size())
			for !bytes.Equal(result, one(dt)) {
				runtime.Gosched()
				_ = read.ApplyShared(target, nil, nil, result, 1)
			}
			if payload != 42 {
				t.Errorf("%s: the flag came before the payload", typeNames[dt])
			}
		})
	}
}
