package shmem

import (
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// CheckPlace tells whether [Listen] could take an address that nobody has taken, without taking it: ENAMETOOLONG for a
// name that does not fit, and for the folder of a [Path] ENOENT, ENOTDIR, EACCES or EROFS.
func CheckPlace(a Addr) error {
	if err := a.check(); err != nil || a.abstract() {
		return err
	}
	folder := filepath.Dir(a.name)
	switch st, err := os.Stat(folder); {
	case err != nil:
		return err
	case !st.IsDir():
		return syscall.ENOTDIR
	}
	return unix.Faccessat(unix.AT_FDCWD, folder, unix.W_OK|unix.X_OK, unix.AT_EACCESS)
}
