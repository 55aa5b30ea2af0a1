package fabnet_test

import (
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/gofabric/gofabric/fabnet"
	"github.com/gofabric/gofabric/fi"
)

// TestWrongAddresses dials what leads nowhere: the error comes at once and says what is missing.
func TestWrongAddresses(t *testing.T) {
	defer goleak.VerifyNone(t)
	for address, want := range map[string]string{
		"":           "no address: give host:port",
		":":          "no address: give host:port",
		"127.0.0.1:": "the address 127.0.0.1:0 has no port",
	} {
		if c, err := fabnet.Dial("tcp", address); err == nil {
			c.Close()
			t.Errorf("%q leads somewhere", address)
		} else if !errors.Is(err, fi.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", address, err, want)
		}
	}
}

// TestEchoServer dials a server of package net: the error says that it is none of ours.
func TestEchoServer(t *testing.T) {
	defer goleak.VerifyNone(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if c, err := l.Accept(); err == nil {
			io.Copy(c, c) //nolint:errcheck // until the peer goes
			c.Close()
		}
	}()
	c, err := fabnet.Dial("tcp", l.Addr().String())
	if err == nil {
		c.Close()
	}
	const want = "it sends back what it gets; both sides of a connection must use fabnet"
	if !errors.Is(err, fi.ErrProto) || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	l.Close()
	<-done
}

// TestBothFamilies listens at all addresses of the host and is dialed over IPv4, under whose address the peer is known.
func TestBothFamilies(t *testing.T) {
	defer goleak.VerifyNone(t)
	l, err := fabnet.Listen("tcp", "[::]:0")
	if err != nil {
		t.Skip("known: this host has no IPv6")
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	c, err := fabnet.Dial("tcp", net.JoinHostPort("127.0.0.1", port))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	other, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if got, want := other.RemoteAddr().String(), c.LocalAddr().String(); got != want || !strings.HasPrefix(got, "127.0.0.1:") {
		t.Errorf("the peer is %s, and says %s", got, want)
	}
}
