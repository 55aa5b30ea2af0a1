package ring

import (
	"fmt"
	"runtime"
	"testing"
)

var benchSizes = []int{0, 8, 32, 64, 256, 1024, 8192}

// BenchmarkCycle is what one message costs both ends in instructions: one goroutine, no line changes its owner.
func BenchmarkCycle(b *testing.B) {
	for _, publish := range []Publish{Plain, Fenced} {
		for _, n := range benchSizes {
			_, x, y := ends(b, publish, 0)
			buf, out := make([]byte, n), make([]byte, n)
			b.Run(fmt.Sprintf("api=reserve/publish=%d/size=%d", publish, n), func(b *testing.B) {
				for range b.N {
					copy8(x.Tx.Reserve(len(buf)), buf)
					x.Tx.Commit(1, 0, 2, 3)
					drop(&y.Rx, out)
				}
			})
			b.Run(fmt.Sprintf("api=put/publish=%d/size=%d", publish, n), func(b *testing.B) {
				for range b.N {
					x.Tx.Put(1, 0, 2, 3, buf)
					drop(&y.Rx, out)
				}
			})
		}
	}
}

func drop(r *Rx, out []byte) {
	_, _, _, _, p, _ := r.Next()
	copy8(out, p)
	r.Advance()
}

// copy8 copies without a call when there are eight bytes.
func copy8(dst, src []byte) {
	if len(dst) == 8 && len(src) == 8 {
		*(*[8]byte)(dst) = *(*[8]byte)(src)
		return
	}
	copy(dst, src)
}

// BenchmarkPingPong is half a round trip between two goroutines.
func BenchmarkPingPong(b *testing.B) {
	for _, n := range benchSizes {
		b.Run(fmt.Sprintf("size=%d", n), func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
			_, x, y := ends(b, Plain, 0)
			done := make(chan struct{})
			go func() {
				defer close(done)
				for bounce(y, n) != stop {
				}
			}()
			buf := make([]byte, MaxPayload)
			for b.Loop() {
				x.Tx.Put(1, 0, 0, 0, buf[:n])
				take(&x.Rx, buf)
			}
			b.StopTimer()
			x.Tx.Put(stop, 0, 0, 0, nil)
			<-done
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(2*b.N), "ns/way")
		})
	}
}

const stop = 63

func bounce(p *Pair, n int) uint8 {
	var buf [MaxPayload]byte
	op := take(&p.Rx, buf[:])
	if op != stop {
		p.Tx.Put(1, 0, 0, 0, buf[:n])
	}
	return op
}

func take(r *Rx, buf []byte) uint8 {
	for i := 0; !r.Ready(); i++ {
		if i > 10000 {
			i = 0
			runtime.Gosched()
		}
	}
	op, _, _, _, p, _ := r.Next()
	copy(buf, p)
	r.Advance()
	return op
}

// BenchmarkStream is messages one way as fast as they go.
func BenchmarkStream(b *testing.B) {
	for _, publish := range []Publish{Plain, Fenced} {
		for _, n := range benchSizes {
			b.Run(fmt.Sprintf("publish=%d/size=%d", publish, n), func(b *testing.B) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
				_, x, y := ends(b, publish, 0)
				done := make(chan struct{})
				go func() {
					defer close(done)
					var buf [MaxPayload]byte
					for take(&y.Rx, buf[:]) != stop {
					}
				}()
				buf := make([]byte, MaxPayload)
				put := func(op uint8, n int) {
					for i := 0; !x.Tx.Put(op, 0, 0, 0, buf[:n]); i++ {
						if i > 1000 {
							i = 0
							runtime.Gosched()
						}
					}
				}
				for b.Loop() {
					put(1, n)
				}
				b.StopTimer()
				put(stop, 0)
				<-done
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "Mmsg/s")
			})
		}
	}
}
