package inet

import (
	"errors"
	"fmt"
	"net"
	"syscall"
	"testing"

	"github.com/gofabric/gofabric/fi"
)

// TestReason looks for what is said twice otherwise.
func TestReason(t *testing.T) {
	for want, err := range map[string]error{
		"give a port":               &fi.Error{Op: "resolve", Provider: "tcp", Err: fi.ErrInvalid, Hint: "give a port"},
		"no such host":              fmt.Errorf("resolving: %w", &net.DNSError{Err: "no such host", Name: "nobody"}),
		"no such file or directory": &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ENOENT},
		"something":                 errors.New("something"),
	} {
		if got := Reason(err); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
