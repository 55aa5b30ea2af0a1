package fi

import "syscall"

// Windows has two sets of values: those that Go invents for the names of Unix, and those that its sockets and files
// return, given here with their numbers where package syscall has no name for them.
var sysErrnoExtras = []sysErrno{
	{ErrNoData, syscall.ENODATA}, {62, syscall.ETIME}, {ErrRemoteIO, syscall.EREMOTEIO}, {126, syscall.ENOKEY},
	{127, syscall.EKEYEXPIRED}, {128, syscall.EKEYREVOKED}, {ErrKeyRejected, syscall.EKEYREJECTED},
	{130, syscall.EOWNERDEAD}, {131, syscall.ENOTRECOVERABLE},

	{ErrNoEnt, syscall.ERROR_FILE_NOT_FOUND}, {ErrNoEnt, syscall.ERROR_PATH_NOT_FOUND},
	{ErrAccess, syscall.ERROR_ACCESS_DENIED}, {ErrExist, syscall.ERROR_FILE_EXISTS},
	{ErrExist, syscall.ERROR_ALREADY_EXISTS}, {32, syscall.ERROR_BROKEN_PIPE},
	{ErrBadFD, 6},    // ERROR_INVALID_HANDLE
	{ErrNoMem, 8},    // ERROR_NOT_ENOUGH_MEMORY
	{ErrNoMem, 1455}, // ERROR_COMMITMENT_LIMIT

	{ErrIntr, 10004},         // WSAEINTR
	{ErrAccess, 10013},       // WSAEACCES
	{ErrFault, 10014},        // WSAEFAULT
	{ErrInvalid, 10022},      // WSAEINVAL
	{ErrMFile, 10024},        // WSAEMFILE
	{ErrAgain, 10035},        // WSAEWOULDBLOCK
	{ErrInProgress, 10036},   // WSAEINPROGRESS
	{ErrAlready, 10037},      // WSAEALREADY
	{ErrMsgSize, 10040},      // WSAEMSGSIZE
	{ErrNoProtoOpt, 10042},   // WSAENOPROTOOPT
	{ErrOpNotSupp, 10045},    // WSAEOPNOTSUPP
	{ErrAddrInUse, 10048},    // WSAEADDRINUSE
	{ErrAddrNotAvail, 10049}, // WSAEADDRNOTAVAIL
	{ErrNetDown, 10050},      // WSAENETDOWN
	{ErrNetUnreach, 10051},   // WSAENETUNREACH
	{ErrConnAborted, 10053},  // WSAECONNABORTED
	{ErrConnReset, 10054},    // WSAECONNRESET
	{ErrNoBufs, 10055},       // WSAENOBUFS
	{ErrIsConn, 10056},       // WSAEISCONN
	{ErrNotConn, 10057},      // WSAENOTCONN
	{ErrShutdown, 10058},     // WSAESHUTDOWN
	{ErrTimedOut, 10060},     // WSAETIMEDOUT
	{ErrConnRefused, 10061},  // WSAECONNREFUSED
	{ErrHostDown, 10064},     // WSAEHOSTDOWN
	{ErrHostUnreach, 10065},  // WSAEHOSTUNREACH
	{ErrCanceled, 995},       // ERROR_OPERATION_ABORTED
}
