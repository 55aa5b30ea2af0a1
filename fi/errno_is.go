package fi

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
)

// Is makes errors.Is see the standard library's errors in fabric errors of the same meaning: FI_EAGAIN is
// syscall.EAGAIN (whatever its number is on this system), FI_ENOSYS and FI_EOPNOTSUPP are [errors.ErrUnsupported],
// FI_EACCES and FI_EPERM are [fs.ErrPermission], FI_ENOENT is [fs.ErrNotExist], EEXIST is [fs.ErrExist], FI_EINVAL is
// [fs.ErrInvalid], FI_ETIMEDOUT is [context.DeadlineExceeded] and [os.ErrDeadlineExceeded], and FI_EBADF, the use of a
// closed object, is [net.ErrClosed]. FI_ECANCELED is not context.Canceled: a peer's death cancels operations too.
//
// In loops over the data path compare with == instead: err == fi.ErrAgain.
func (e Errno) Is(target error) bool {
	switch target {
	case errors.ErrUnsupported:
		return e == ErrNoSys || e == ErrOpNotSupp
	case fs.ErrPermission:
		return e == ErrPerm || e == ErrAccess
	case fs.ErrNotExist:
		return e == ErrNoEnt
	case fs.ErrExist:
		return e == ErrExist
	case fs.ErrInvalid:
		return e == ErrInvalid
	case context.DeadlineExceeded, os.ErrDeadlineExceeded:
		return e == ErrTimedOut
	case net.ErrClosed:
		return e == ErrBadFD
	}
	return e.isSyscall(target)
}

// Timeout reports whether the error is a timeout, which is true for FI_ETIMEDOUT only.
func (e Errno) Timeout() bool { return e == ErrTimedOut }
