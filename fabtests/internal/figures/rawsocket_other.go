//go:build !linux

package figures

import (
	"errors"
	"io"
	"net"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
)

type rawSocket struct{ io.ReadWriter }

func newRawSocket(*scenario.Env, *net.TCPConn) (*rawSocket, error) {
	return nil, &fail.Hint{Err: fail.Call("floor", errors.ErrUnsupported), Next: "fabtests floor --over net: raw sockets are measured on Linux only"}
}

func (s *rawSocket) close() {}
