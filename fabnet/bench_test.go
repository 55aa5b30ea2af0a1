package fabnet_test

import (
	"fmt"
	"io"
	"net"
	"testing"
)

// socket is a connection of package net, to compare with.
func socket(b *testing.B, network, address string) (c1, c2 net.Conn) {
	l, err := net.Listen(network, address)
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	if c1, err = net.Dial(network, l.Addr().String()); err == nil {
		c2, err = l.Accept()
	}
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { c1.Close(); c2.Close() })
	return c1, c2
}

// both runs a benchmark over fabrics and over sockets.
func both(b *testing.B, name string, run func(b *testing.B, c1, c2 net.Conn)) {
	for _, network := range []string{"mem", "shm", "tcp"} {
		b.Run("fabric="+network+"/"+name, func(b *testing.B) {
			c1, c2 := connected(b, network, ways[network])
			run(b, c1, c2)
		})
	}
	b.Run("socket=tcp/"+name, func(b *testing.B) {
		c1, c2 := socket(b, "tcp", "127.0.0.1:0")
		run(b, c1, c2)
	})
	b.Run("socket=unix/"+name, func(b *testing.B) {
		c1, c2 := socket(b, "unix", b.TempDir()+"/s")
		run(b, c1, c2)
	})
}

// BenchmarkPingPong sends and waits for an answer of the same size.
func BenchmarkPingPong(b *testing.B) {
	for _, n := range []int{8, 1 << 10, 16 << 10, 256 << 10} {
		both(b, fmt.Sprint("bytes=", n), func(b *testing.B, c1, c2 net.Conn) {
			b.SetBytes(int64(2 * n))
			b.ReportAllocs()
			go func() {
				buf := make([]byte, n)
				for {
					if _, err := io.ReadFull(c2, buf); err != nil {
						return
					}
					if _, err := c2.Write(buf); err != nil {
						return
					}
				}
			}()
			buf := make([]byte, n)
			for b.Loop() {
				write(b, c1, buf)
				if _, err := io.ReadFull(c1, buf); err != nil {
					b.Fatal(err)
				}
			}
			c1.Close()
		})
	}
}

// BenchmarkStream sends in one direction.
func BenchmarkStream(b *testing.B) {
	for _, n := range []int{100, 4 << 10, 64 << 10, 1 << 20} {
		both(b, fmt.Sprint("bytes=", n), func(b *testing.B, c1, c2 net.Conn) {
			b.SetBytes(int64(n))
			b.ReportAllocs()
			done := make(chan int64)
			go func() {
				k, _ := io.CopyBuffer(struct{ io.Writer }{io.Discard}, c2, make([]byte, 64<<10))
				done <- k
			}()
			buf := make([]byte, n)
			for b.Loop() {
				write(b, c1, buf)
			}
			c1.Close()
			<-done
		})
	}
}
