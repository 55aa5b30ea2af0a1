package tcp_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/testx/logbook"
	"github.com/gofabric/gofabric/providers/tcp/wire"
)

// TestForeignCallers has HTTP clients and others call: they lose their connections at once, and the log has the first one.
func TestForeignCallers(t *testing.T) {
	for said, want := range map[string]string{
		"GET / HTTP/1.1\r\n\r\n":                `reason=no libfabric endpoint: it says "GET / HTTP/1.1"`,
		"\x16\x03\x01\x02\x00\x01\x00":          "reason=no libfabric endpoint: it speaks TLS, and none was configured here",
		"hi":                                    "reason=no libfabric endpoint: connect request: version is 104, want 3",
		"\x03\x01" + strings.Repeat("\x00", 30): "reason=no libfabric endpoint: connect request: type is 1, want 0 (request)",
	} {
		b := logbook.New(slog.LevelWarn)
		rdm := openSides(t, 1, nil, fi.DomainAttr{}, fabric.WithSlog(b))[0]
		_, raw := openPlace(t, nil, fabric.WithSlog(b)).listen(t, nil)
		passive, err := fi.DecodeSockaddr(raw)
		check(t, err)
		for n, at := range []netip.AddrPort{addrOf(t, rdm), passive} {
			for i := range 3 {
				c := dial(t, at)
				c.SetDeadline(time.Now().Add(patient)) //nolint:errcheck // the read tells
				_, err := io.WriteString(c, said)
				check(t, err)
				if b, err := io.ReadAll(c); len(b) > 0 || errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%q was answered by %q, %v", said, b, err)
				}
				from := c.LocalAddr().String()
				check(t, c.Close())
				if i > 0 {
					continue
				}
				if l := b.Find(t, "a caller was refused", n+1); l != "WARN a caller was refused peer="+from+" "+want {
					t.Errorf("%s\nwant peer=%s and %s", l, from, want)
				}
			}
		}
		if l := b.With("a caller was refused"); len(l) != 2 {
			t.Errorf("of two listeners there is\n%s", strings.Join(l, "\n"))
		}
	}
}

// serveTCP runs a server that is no endpoint.
func serveTCP(t *testing.T, serve func(c net.Conn)) netip.AddrPort {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				serve(c)
			}()
		}
	}()
	return l.Addr().(*net.TCPAddr).AddrPort()
}

// TestForeignServers calls what is no endpoint: that ends at once, in words.
func TestForeignServers(t *testing.T) {
	forever := map[string]string{"FI_TCP_CONNECT_TIMEOUT": "600000"}
	for what, serve := range map[string]func(net.Conn){
		`it says "HTTP/1.1 400 Bad Request"`: func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n") //nolint:errcheck // the peer tells
			io.Copy(io.Discard, c)                                                     //nolint:errcheck // until it goes
		},
		`it says "220 mail"`: func(c net.Conn) {
			io.WriteString(c, "220 mail\r\n") //nolint:errcheck // the peer tells
			io.Copy(io.Discard, c)            //nolint:errcheck // until it goes
		},
		"it sends back what it gets": func(c net.Conn) { io.Copy(c, c) }, //nolint:errcheck // until it goes
	} {
		at := serveTCP(t, serve)
		want := "no libfabric endpoint listens at " + at.String() + ": " + what
		a := openSides(t, 1, forever, fi.DomainAttr{})[0]
		var to [1]fi.Addr
		if _, err := a.av.Insert([][]byte{rawAddr(t, at)}, to[:], 0); err != nil {
			t.Fatal(err)
		}
		check(t, a.ep.TSend(make([]byte, 8), to[0], 1, a.req))
		if bad := a.failure(t, patient); bad.Err != fi.ErrProto || !strings.Contains(bad.Error(), want) {
			t.Errorf("%v\nwant %s", bad, want)
		}
		p := openPlace(t, forever)
		ep, err := p.endpoint(t, p.info)
		check(t, err)
		check(t, ep.Connect(rawAddr(t, at), nil))
		ctx, cancel := context.WithTimeout(t.Context(), patient)
		defer cancel()
		var bad fi.EQErrEntry
		if err := p.eq.SRead(ctx, new(fi.EQEntry), 0); !errors.Is(err, fi.ErrAvail) {
			t.Fatal(err)
		}
		if err := p.eq.ReadErr(&bad); err != nil || !errors.Is(&bad, fi.ErrProto) || !strings.Contains(bad.Error(), want) {
			t.Errorf("%v, %v\nwant %s", err, &bad, want)
		}
	}
}

// TestHalfAnswer calls a peer that ends in the midst of its answer, as one that is killed does: it is called again.
func TestHalfAnswer(t *testing.T) {
	var calls atomic.Int32
	answer := control(t, wire.ConnResponse, nil)
	at := serveTCP(t, func(c net.Conn) {
		k := calls.Add(1)
		io.ReadFull(c, make([]byte, wire.ControlSize+wire.RDMSize)) //nolint:errcheck // unread bytes would reset
		c.Write(answer[:k%4])                                       //nolint:errcheck // the peer tells
	})
	a := openSides(t, 1, map[string]string{"FI_TCP_CONNECT_TIMEOUT": "300"}, fi.DomainAttr{})[0]
	var to [1]fi.Addr
	if _, err := a.av.Insert([][]byte{rawAddr(t, at)}, to[:], 0); err != nil {
		t.Fatal(err)
	}
	check(t, a.ep.TSend(make([]byte, 8), to[0], 1, a.req))
	if bad := a.failure(t, patient); bad.Err != fi.ErrConnReset || calls.Load() < 2 {
		t.Errorf("after %d calls: %v", calls.Load(), bad)
	}
}
