//go:build unix || windows

package fi

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"
)

func TestErrnoIsSyscall(t *testing.T) {
	for _, c := range []struct {
		fi  Errno
		sys syscall.Errno
	}{
		{ErrAgain, syscall.EAGAIN}, {ErrBusy, syscall.EBUSY}, {ErrConnRefused, syscall.ECONNREFUSED},
		{ErrOpNotSupp, syscall.EOPNOTSUPP}, {ErrTimedOut, syscall.ETIMEDOUT}, {32, syscall.EPIPE},
	} {
		if !errors.Is(c.fi, c.sys) {
			t.Errorf("%v is not %v (%d)", c.fi, c.sys, int(c.sys))
		}
		if got := FromSyscall(os.NewSyscallError("call", c.sys)); got != c.fi {
			t.Errorf("FromSyscall(%v) = %v, want %v", c.sys, got, c.fi)
		}
	}
	if errors.Is(ErrAgain, syscall.EBUSY) || errors.Is(ErrTooSmall, syscall.Errno(257)) {
		t.Error("matched a system error of another meaning")
	}
}

func TestFromSyscall(t *testing.T) {
	for _, c := range []struct {
		err  error
		want Errno
	}{
		{nil, Success},
		{errors.New("else"), ErrOther},
		{syscall.Errno(0x7fff0000), ErrOther},
		{fmt.Errorf("x: %w", ErrNoKey), ErrNoKey},
		{errors.Join(ErrNoMem, syscall.EAGAIN), ErrNoMem},
	} {
		if got := FromSyscall(c.err); got != c.want {
			t.Errorf("FromSyscall(%v) = %v, want %v", c.err, got, c.want)
		}
	}
}

// TestSysErrnoPairs checks that every number of the tables has a text, and that a number of this system means one thing.
func TestSysErrnoPairs(t *testing.T) {
	seen := map[syscall.Errno]Errno{}
	for _, p := range append(commonSysErrnos[:], sysErrnoExtras...) {
		if _, ok := p.fi.lookup(); !ok {
			t.Errorf("%d has no text", int(p.fi))
		}
		if old, ok := seen[p.sys]; ok && old != p.fi {
			t.Errorf("system error %d is %v and %v", int(p.sys), old, p.fi)
		}
		seen[p.sys] = p.fi
	}
}
