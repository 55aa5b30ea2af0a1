//go:build unix

package monfile

import (
	"io/fs"
	"os"
	"syscall"
)

// own tells whether a file is the user's.
func own(st fs.FileInfo) bool {
	s, ok := st.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid()
}

// open tells whether others may use it.
func open(st fs.FileInfo) bool { return st.Mode().Perm()&0o077 != 0 }
