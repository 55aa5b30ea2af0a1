package shm

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/gofabric/gofabric/internal/shmem"
)

// randomLength is that of a random name.
const randomLength = 16

// unusable says why FI_SHM_SOCKET_DIR is no place for an endpoint of an address, or of a random name; empty when it is.
func (c *config) unusable(src []byte) string {
	if c.socketDir == "" {
		return ""
	}
	name := strings.Repeat("x", randomLength)
	if len(src) > 0 {
		name = nameOf(src)
	}
	err := shmem.CheckPlace(c.socketAddr(name))
	why := ""
	switch {
	case err == nil:
		return ""
	case errors.Is(err, syscall.ENAMETOOLONG):
		why = fmt.Sprintf("too long: with the endpoint's name of %d bytes a socket's path has more than 107", len(name))
	case errors.Is(err, syscall.ENOTDIR):
		why = "no folder"
	case errors.Is(err, fs.ErrNotExist):
		why = "not there"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		why = "not writable"
	default:
		why = err.Error()
	}
	return "FI_SHM_SOCKET_DIR=" + printable([]byte(c.socketDir)) + ": " + why
}
