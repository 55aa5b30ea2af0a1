package fabnet_test

import (
	"errors"
	"net"
	"runtime"
	"testing"

	"go.uber.org/goleak"
	"golang.org/x/net/nettest"

	"github.com/gofabric/gofabric/fabnet"
)

// ways are the providers, and an address of each at which one may listen.
var ways = map[string]string{"mem": "", "shm": "", "tcp": "127.0.0.1:0"}

// linuxOnly skips what needs other providers than mem.
func linuxOnly(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("known: streams over shm and tcp are tested on linux only")
	}
}

// each runs a test over every provider of this system.
func each(t *testing.T, run func(t *testing.T, network, address string)) {
	for network, address := range ways {
		t.Run(network, func(t *testing.T) {
			if network != "mem" {
				linuxOnly(t)
			}
			defer goleak.VerifyNone(t)
			run(t, network, address)
		})
	}
}

// listen listens at an address.
func listen(t testing.TB, network, address string) net.Listener {
	l, err := fabnet.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// pipe gives the two ends of a connection.
func pipe(network, address string) (c1, c2 net.Conn, stop func(), err error) {
	l, err := fabnet.Listen(network, address)
	if err != nil {
		return nil, nil, nil, err
	}
	c1, err = fabnet.Dial(l.Addr().Network(), l.Addr().String())
	if err == nil {
		c2, err = l.Accept()
	}
	if err != nil {
		l.Close()
		return nil, nil, nil, err
	}
	return c1, c2, func() {
		for _, c := range []interface{ Close() error }{c1, c2, l} {
			if err := c.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
				panic(err)
			}
		}
	}, nil
}

// TestConn runs the tests of every net.Conn.
func TestConn(t *testing.T) {
	each(t, func(t *testing.T, network, address string) {
		nettest.TestConn(t, func() (c1, c2 net.Conn, stop func(), err error) { return pipe(network, address) })
	})
}

// TestConnByOtherRoads runs them where long messages of shm travel through blocks, and where tcp speaks C's protocol.
func TestConnByOtherRoads(t *testing.T) {
	linuxOnly(t)
	for env, network := range map[[2]string]string{{"FI_SHM_ROAD", "bulk"}: "shm", {"FI_TCP_EXTENSION", "0"}: "tcp"} {
		t.Run(env[0], func(t *testing.T) {
			defer goleak.VerifyNone(t)
			t.Setenv(env[0], env[1])
			nettest.TestConn(t, func() (c1, c2 net.Conn, stop func(), err error) { return pipe(network, ways[network]) })
		})
	}
}
