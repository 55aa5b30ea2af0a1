package shmem

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/gofabric/gofabric/internal/osx"
	"github.com/gofabric/gofabric/internal/ring"
)

// What the two processes say to each other.
const (
	opEcho = iota + 1
	opSink
	opStop
)

// The child maps the memory that it is given and echoes or drops what comes, till it is told to stop.
func init() {
	children["echo"] = func() {
		if cpus := osx.CPUs(); len(cpus) > 1 {
			osx.Pin(cpus[1])
		}
		c, err := Connect(Addr{os.Getenv("SHMEM_ARG")})
		var m Message
		for err = ErrAgain; err == ErrAgain; osx.SchedYield() {
			err = c.Recv(&m)
		}
		if err != nil {
			said("%v", err)
			return
		}
		fds, err := m.Take(1)
		if err != nil {
			said("%v", err)
			return
		}
		f, err := MapPeer(fds[0], ring.PairBytes, ReadWrite, Populate)
		if err != nil {
			said("%v", err)
			return
		}
		p, err := ring.Layout(f.Bytes(), ring.Config{Side: ring.Taker})
		if err != nil {
			said("%v", err)
			return
		}
		fmt.Println("mapped")
		for echo(p, make([]byte, ring.MaxPayload)) {
		}
	}
}

func echo(p *ring.Pair, buf []byte) bool {
	await(p)
	op, aux, tag, data, b, status := p.Rx.Next()
	n := copy(buf, b)
	p.Rx.Advance()
	if op == opEcho {
		for !p.Tx.Put(op, aux, tag, data, buf[:n]) {
			osx.SchedYield()
		}
	}
	return status == ring.Message && op != opStop
}

func await(p *ring.Pair) {
	for i := 1; !p.Rx.Ready(); i++ {
		if i%500 == 0 {
			osx.SchedYield()
		}
	}
}

// twoProcesses is a pair with another process at its other end.
func twoProcesses(t testing.TB) *ring.Pair {
	t.Helper()
	addr := name()
	l := listen(t, addr)
	f, err := Create("pair", ring.PairBytes, Populate)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	given := make(chan error)
	go func() {
		e, err := NewEpoll()
		if err == nil {
			defer e.Close()
			e.Add(l.FD(), In, 0)
			e.SetDeadline(time.Now().Add(time.Minute))
			if err = e.Park(); err == nil {
				var c *Conn
				if c, err = l.Accept(); err == nil {
					err = c.Send([]byte("pair"), f.FD())
					c.Close()
				}
			}
		}
		given <- err
	}()
	_, line := child(t, "echo", addr.name)
	if err := <-given; err != nil || line != "mapped" {
		t.Fatal(err, line)
	}
	p, err := ring.Layout(f.Bytes(), ring.Config{Side: ring.Maker})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Tx.Put(opStop, 0, 0, 0, nil) })
	return p
}

// Messages of all sizes go to another process and come back whole and in order, many at a time.
func TestTwoProcesses(t *testing.T) {
	noLeak(t)
	p := twoProcesses(t)
	sizes := []int{0, 1, 8, 40, 41, 64, 65, 200, 1024, 4000, 8 << 10, ring.MaxPayload}
	sent, got := 0, 0
	const count = 20000
	for got < count {
		if sent < count && sent-got < 60 {
			if b := p.Tx.Reserve(sizes[sent%len(sizes)]); b != nil {
				for j := 0; j < len(b); j += 7 {
					b[j] = byte(sent + j)
				}
				p.Tx.Commit(opEcho, uint16(sent), uint64(sent), 0)
				sent++
				continue
			}
		}
		await(p)
		_, aux, tag, _, b, status := p.Rx.Next()
		if status != ring.Message || tag != uint64(got) || aux != uint16(got) || len(b) != sizes[got%len(sizes)] {
			t.Fatalf("message %d: %v, tag %d, %d bytes", got, status, tag, len(b))
		}
		for j := 0; j < len(b); j += 7 {
			if b[j] != byte(got+j) {
				t.Fatalf("message %d: byte %d", got, j)
			}
		}
		p.Rx.Advance()
		got++
	}
}

// BenchmarkProcesses measures the ring between two processes on two processors.
func BenchmarkProcesses(b *testing.B) {
	for _, n := range []int{0, 8, 64, 256, 1024, 8192} {
		buf := make([]byte, n)
		b.Run(fmt.Sprintf("pingpong/size=%d", n), func(b *testing.B) {
			p := twoProcesses(b)
			own(0)
			for b.Loop() {
				p.Tx.Put(opEcho, 0, 0, 0, buf)
				await(p)
				_, _, _, _, in, _ := p.Rx.Next()
				copy(buf, in)
				p.Rx.Advance()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(2*b.N), "ns/way")
		})
		b.Run(fmt.Sprintf("stream/size=%d", n), func(b *testing.B) {
			p := twoProcesses(b)
			own(0)
			for b.Loop() {
				for i := 1; !p.Tx.Put(opSink, 0, 0, 0, buf); i++ {
					if i%500 == 0 {
						osx.SchedYield()
					}
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "Mmsg/s")
		})
	}
}
