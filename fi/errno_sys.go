//go:build unix || windows

package fi

import (
	"errors"
	"syscall"
)

// sysErrno pairs a fabric number, which is Linux's, with this system's value of the same meaning.
type sysErrno struct {
	fi  Errno
	sys syscall.Errno
}

// commonSysErrnos are the errors that every system here has; sysErrnoExtras adds those that only this one has.
var commonSysErrnos = [...]sysErrno{
	{ErrPerm, syscall.EPERM}, {ErrNoEnt, syscall.ENOENT}, {3, syscall.ESRCH}, {ErrIntr, syscall.EINTR},
	{ErrIO, syscall.EIO}, {6, syscall.ENXIO}, {Err2Big, syscall.E2BIG}, {8, syscall.ENOEXEC},
	{ErrBadFD, syscall.EBADF}, {10, syscall.ECHILD}, {ErrAgain, syscall.EAGAIN}, {ErrAgain, syscall.EWOULDBLOCK},
	{ErrNoMem, syscall.ENOMEM}, {ErrAccess, syscall.EACCES}, {ErrFault, syscall.EFAULT}, {ErrBusy, syscall.EBUSY},
	{ErrExist, syscall.EEXIST}, {18, syscall.EXDEV}, {ErrNoDev, syscall.ENODEV}, {20, syscall.ENOTDIR},
	{21, syscall.EISDIR}, {ErrInvalid, syscall.EINVAL}, {23, syscall.ENFILE}, {ErrMFile, syscall.EMFILE},
	{25, syscall.ENOTTY}, {26, syscall.ETXTBSY}, {27, syscall.EFBIG}, {ErrNoSpc, syscall.ENOSPC},
	{29, syscall.ESPIPE}, {30, syscall.EROFS}, {31, syscall.EMLINK}, {32, syscall.EPIPE}, {33, syscall.EDOM},
	{34, syscall.ERANGE}, {35, syscall.EDEADLK}, {36, syscall.ENAMETOOLONG}, {37, syscall.ENOLCK},
	{ErrNoSys, syscall.ENOSYS}, {39, syscall.ENOTEMPTY}, {40, syscall.ELOOP}, {ErrNoMsg, syscall.ENOMSG},
	{43, syscall.EIDRM}, {ErrProto, syscall.EPROTO}, {74, syscall.EBADMSG}, {ErrOverflow, syscall.EOVERFLOW},
	{84, syscall.EILSEQ}, {88, syscall.ENOTSOCK}, {89, syscall.EDESTADDRREQ}, {ErrMsgSize, syscall.EMSGSIZE},
	{91, syscall.EPROTOTYPE}, {ErrNoProtoOpt, syscall.ENOPROTOOPT}, {93, syscall.EPROTONOSUPPORT},
	{94, syscall.ESOCKTNOSUPPORT}, {ErrOpNotSupp, syscall.EOPNOTSUPP}, {ErrOpNotSupp, syscall.ENOTSUP},
	{96, syscall.EPFNOSUPPORT}, {97, syscall.EAFNOSUPPORT}, {ErrAddrInUse, syscall.EADDRINUSE},
	{ErrAddrNotAvail, syscall.EADDRNOTAVAIL}, {ErrNetDown, syscall.ENETDOWN}, {ErrNetUnreach, syscall.ENETUNREACH},
	{102, syscall.ENETRESET}, {ErrConnAborted, syscall.ECONNABORTED}, {ErrConnReset, syscall.ECONNRESET},
	{ErrNoBufs, syscall.ENOBUFS}, {ErrIsConn, syscall.EISCONN}, {ErrNotConn, syscall.ENOTCONN},
	{ErrShutdown, syscall.ESHUTDOWN}, {109, syscall.ETOOMANYREFS}, {ErrTimedOut, syscall.ETIMEDOUT},
	{ErrConnRefused, syscall.ECONNREFUSED}, {ErrHostDown, syscall.EHOSTDOWN}, {ErrHostUnreach, syscall.EHOSTUNREACH},
	{ErrAlready, syscall.EALREADY}, {ErrInProgress, syscall.EINPROGRESS}, {116, syscall.ESTALE},
	{122, syscall.EDQUOT}, {ErrCanceled, syscall.ECANCELED},
}

func (e Errno) isSyscall(target error) bool {
	s, ok := target.(syscall.Errno)
	if !ok || e >= ownErrnoOffset {
		return false
	}
	for _, p := range commonSysErrnos {
		if p.fi == e && p.sys == s {
			return true
		}
	}
	for _, p := range sysErrnoExtras {
		if p.fi == e && p.sys == s {
			return true
		}
	}
	return false
}

// FromSyscall gives the fabric number for the error of a system call: that of an [Errno] or a syscall.Errno anywhere in
// err's tree, by meaning and not by number; [Success] for nil and [ErrOther] where there is none.
func FromSyscall(err error) Errno {
	if err == nil {
		return Success
	}
	if e, ok := errors.AsType[Errno](err); ok {
		return e
	}
	s, ok := errors.AsType[syscall.Errno](err)
	if !ok {
		return ErrOther
	}
	for _, p := range commonSysErrnos {
		if p.sys == s {
			return p.fi
		}
	}
	for _, p := range sysErrnoExtras {
		if p.sys == s {
			return p.fi
		}
	}
	return ErrOther
}
