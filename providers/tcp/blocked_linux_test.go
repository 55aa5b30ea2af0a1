package tcp_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fi"
)

// TestBlockedReaderHearsOfTheLimit sends to an address that never answers while somebody is blocked, and nobody polls: no
// socket tells that the time to connect is over, and the reader hears of it all the same.
func TestBlockedReaderHearsOfTheLimit(t *testing.T) {
	for _, progress := range []fi.Progress{fi.ProgressAuto, fi.ProgressManual} {
		t.Run(progress.String(), func(t *testing.T) {
			s := openSides(t, 1, map[string]string{"FI_TCP_CONNECT_TIMEOUT": "200"}, fi.DomainAttr{Progress: progress})[0]
			_, raw, err := fi.ParseAddr(fmt.Sprintf("fi_sockaddr_in://127.0.0.1:%d", silent(t)))
			check(t, err)
			var to [1]fi.Addr
			_, err = s.av.Insert([][]byte{raw}, to[:], 0)
			check(t, err)
			ctx, cancel := context.WithTimeout(t.Context(), patient)
			defer cancel()
			done := make(chan error)
			go func() {
				var e [1]cq.Entry
				_, err := s.q.SRead(ctx, e[:])
				done <- err
			}()
			time.Sleep(20 * time.Millisecond) // sleep: mostly it is blocked then; the case holds without that
			check(t, s.ep.TSend(make([]byte, 8), to[0], 1, s.req))
			if err := <-done; !errors.Is(err, fi.ErrAvail) {
				t.Fatalf("the reader: %v, want FI_EAVAIL", err)
			}
			bad := new(cq.ErrEntry)
			check(t, s.q.ReadErr(bad))
			if bad.Err != fi.ErrTimedOut {
				t.Errorf("the message ended with %v", bad)
			}
		})
	}
}

// silent is the port of a listener whose backlog is full: connections to it are neither made nor refused.
func silent(t *testing.T) int {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	check(t, err)
	t.Cleanup(func() { syscall.Close(fd) })
	check(t, syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	check(t, syscall.Listen(fd, 0))
	at, err := syscall.Getsockname(fd)
	check(t, err)
	port := at.(*syscall.SockaddrInet4).Port
	c, err := net.Dial("tcp4", fmt.Sprintf("127.0.0.1:%d", port)) // the only one that has room
	check(t, err)
	t.Cleanup(func() { c.Close() })
	return port
}
