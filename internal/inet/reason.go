package inet

import (
	"errors"
	"net"
	"syscall"

	"github.com/gofabric/gofabric/fi"
)

// Reason says in a few words why something has failed, for a sentence that already has what and where: no error whole,
// which would say those again.
func Reason(err error) string {
	if e, ok := errors.AsType[*fi.Error](err); ok && e.Hint != "" {
		return e.Hint
	}
	if e, ok := errors.AsType[*net.DNSError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*net.AddrError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[syscall.Errno](err); ok {
		return e.Error()
	}
	return err.Error()
}
