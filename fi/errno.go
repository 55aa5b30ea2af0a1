package fi

// Errno is a fabric error number (FI_E*, fi_errno(3)). Values below 256 are Linux errno values, which libfabric uses on
// the wire and in its tools on every system; the rest start at FI_ERRNO_OFFSET.
type Errno int

// Error numbers.
const (
	Success         Errno = 0   // FI_SUCCESS
	ErrPerm         Errno = 1   // FI_EPERM
	ErrNoEnt        Errno = 2   // FI_ENOENT
	ErrIntr         Errno = 4   // FI_EINTR
	ErrIO           Errno = 5   // FI_EIO
	Err2Big         Errno = 7   // FI_E2BIG
	ErrBadFD        Errno = 9   // FI_EBADF
	ErrAgain        Errno = 11  // FI_EAGAIN
	ErrNoMem        Errno = 12  // FI_ENOMEM
	ErrAccess       Errno = 13  // FI_EACCES
	ErrFault        Errno = 14  // FI_EFAULT
	ErrBusy         Errno = 16  // FI_EBUSY
	ErrExist        Errno = 17  // EEXIST
	ErrNoDev        Errno = 19  // FI_ENODEV
	ErrInvalid      Errno = 22  // FI_EINVAL
	ErrMFile        Errno = 24  // FI_EMFILE
	ErrNoSpc        Errno = 28  // FI_ENOSPC
	ErrNoSys        Errno = 38  // FI_ENOSYS
	ErrNoMsg        Errno = 42  // FI_ENOMSG
	ErrNoData       Errno = 61  // FI_ENODATA
	ErrProto        Errno = 71  // FI_EPROTO
	ErrOverflow     Errno = 75  // FI_EOVERFLOW
	ErrMsgSize      Errno = 90  // FI_EMSGSIZE
	ErrNoProtoOpt   Errno = 92  // FI_ENOPROTOOPT
	ErrOpNotSupp    Errno = 95  // FI_EOPNOTSUPP
	ErrAddrInUse    Errno = 98  // FI_EADDRINUSE
	ErrAddrNotAvail Errno = 99  // FI_EADDRNOTAVAIL
	ErrNetDown      Errno = 100 // FI_ENETDOWN
	ErrNetUnreach   Errno = 101 // FI_ENETUNREACH
	ErrConnAborted  Errno = 103 // FI_ECONNABORTED
	ErrConnReset    Errno = 104 // FI_ECONNRESET
	ErrNoBufs       Errno = 105 // FI_ENOBUFS
	ErrIsConn       Errno = 106 // FI_EISCONN
	ErrNotConn      Errno = 107 // FI_ENOTCONN
	ErrShutdown     Errno = 108 // FI_ESHUTDOWN
	ErrTimedOut     Errno = 110 // FI_ETIMEDOUT
	ErrConnRefused  Errno = 111 // FI_ECONNREFUSED
	ErrHostDown     Errno = 112 // FI_EHOSTDOWN
	ErrHostUnreach  Errno = 113 // FI_EHOSTUNREACH
	ErrAlready      Errno = 114 // FI_EALREADY
	ErrInProgress   Errno = 115 // FI_EINPROGRESS
	ErrRemoteIO     Errno = 121 // FI_EREMOTEIO
	ErrCanceled     Errno = 125 // FI_ECANCELED
	ErrKeyRejected  Errno = 129 // FI_EKEYREJECTED
	ErrOther        Errno = 256 // FI_EOTHER
	ErrTooSmall     Errno = 257 // FI_ETOOSMALL
	ErrOpBadState   Errno = 258 // FI_EOPBADSTATE
	ErrAvail        Errno = 259 // FI_EAVAIL
	ErrBadFlags     Errno = 260 // FI_EBADFLAGS
	ErrNoEQ         Errno = 261 // FI_ENOEQ
	ErrDomain       Errno = 262 // FI_EDOMAIN
	ErrNoCQ         Errno = 263 // FI_ENOCQ
	ErrCRC          Errno = 264 // FI_ECRC
	ErrTruncated    Errno = 265 // FI_ETRUNC
	ErrNoKey        Errno = 266 // FI_ENOKEY
	ErrNoAV         Errno = 267 // FI_ENOAV
	ErrOverrun      Errno = 268 // FI_EOVERRUN
	ErrNoRx         Errno = 269 // FI_ENORX
	ErrNoMR         Errno = 270 // FI_ENOMR
	ErrFirewallAddr Errno = 271 // FI_EFIREWALLADDR
)
