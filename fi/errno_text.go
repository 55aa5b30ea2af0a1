package fi

import (
	"strconv"
	"strings"
)

// errnoText is what a number is called. The name has the FI_ prefix when libfabric defines the number itself, and is the
// bare errno name for numbers that only reach us from a system call or a peer.
type errnoText struct{ name, text string }

// sysErrnoTexts covers the Linux errno values.
var sysErrnoTexts = [...]errnoText{
	0:   {"FI_SUCCESS", "success"},
	1:   {"FI_EPERM", "operation not permitted"},
	2:   {"FI_ENOENT", "no such file or directory"},
	3:   {"ESRCH", "no such process"},
	4:   {"FI_EINTR", "interrupted system call"},
	5:   {"FI_EIO", "input/output error"},
	6:   {"ENXIO", "no such device or address"},
	7:   {"FI_E2BIG", "argument list too long"},
	8:   {"ENOEXEC", "exec format error"},
	9:   {"FI_EBADF", "object closed or bad file descriptor"},
	10:  {"ECHILD", "no child processes"},
	11:  {"FI_EAGAIN", "resource temporarily unavailable"},
	12:  {"FI_ENOMEM", "cannot allocate memory"},
	13:  {"FI_EACCES", "permission denied"},
	14:  {"FI_EFAULT", "bad address"},
	16:  {"FI_EBUSY", "device or resource busy"},
	17:  {"EEXIST", "file exists"},
	18:  {"EXDEV", "invalid cross-device link"},
	19:  {"FI_ENODEV", "no such device"},
	20:  {"ENOTDIR", "not a directory"},
	21:  {"EISDIR", "is a directory"},
	22:  {"FI_EINVAL", "invalid argument"},
	23:  {"ENFILE", "too many open files in system"},
	24:  {"FI_EMFILE", "too many open files"},
	25:  {"ENOTTY", "inappropriate ioctl for device"},
	26:  {"ETXTBSY", "text file busy"},
	27:  {"EFBIG", "file too large"},
	28:  {"FI_ENOSPC", "no space left on device"},
	29:  {"ESPIPE", "illegal seek"},
	30:  {"EROFS", "read-only file system"},
	31:  {"EMLINK", "too many links"},
	32:  {"EPIPE", "broken pipe"},
	33:  {"EDOM", "numerical argument out of domain"},
	34:  {"ERANGE", "numerical result out of range"},
	35:  {"EDEADLK", "resource deadlock avoided"},
	36:  {"ENAMETOOLONG", "file name too long"},
	37:  {"ENOLCK", "no locks available"},
	38:  {"FI_ENOSYS", "function not implemented"},
	39:  {"ENOTEMPTY", "directory not empty"},
	40:  {"ELOOP", "too many levels of symbolic links"},
	42:  {"FI_ENOMSG", "no message of desired type"},
	43:  {"EIDRM", "identifier removed"},
	61:  {"FI_ENODATA", "no data available"},
	62:  {"ETIME", "timer expired"},
	71:  {"FI_EPROTO", "protocol error"},
	74:  {"EBADMSG", "bad message"},
	75:  {"FI_EOVERFLOW", "value too large for defined data type"},
	84:  {"EILSEQ", "invalid or incomplete multibyte or wide character"},
	88:  {"ENOTSOCK", "socket operation on non-socket"},
	89:  {"EDESTADDRREQ", "destination address required"},
	90:  {"FI_EMSGSIZE", "message too long"},
	91:  {"EPROTOTYPE", "protocol wrong type for socket"},
	92:  {"FI_ENOPROTOOPT", "protocol not available"},
	93:  {"EPROTONOSUPPORT", "protocol not supported"},
	94:  {"ESOCKTNOSUPPORT", "socket type not supported"},
	95:  {"FI_EOPNOTSUPP", "operation not supported"},
	96:  {"EPFNOSUPPORT", "protocol family not supported"},
	97:  {"EAFNOSUPPORT", "address family not supported by protocol"},
	98:  {"FI_EADDRINUSE", "address already in use"},
	99:  {"FI_EADDRNOTAVAIL", "cannot assign requested address"},
	100: {"FI_ENETDOWN", "network is down"},
	101: {"FI_ENETUNREACH", "network is unreachable"},
	102: {"ENETRESET", "network dropped connection on reset"},
	103: {"FI_ECONNABORTED", "software caused connection abort"},
	104: {"FI_ECONNRESET", "connection reset by peer"},
	105: {"FI_ENOBUFS", "no buffer space available"},
	106: {"FI_EISCONN", "transport endpoint is already connected"},
	107: {"FI_ENOTCONN", "transport endpoint is not connected"},
	108: {"FI_ESHUTDOWN", "cannot send after transport endpoint shutdown"},
	109: {"ETOOMANYREFS", "too many references: cannot splice"},
	110: {"FI_ETIMEDOUT", "connection timed out"},
	111: {"FI_ECONNREFUSED", "connection refused"},
	112: {"FI_EHOSTDOWN", "host is down"},
	113: {"FI_EHOSTUNREACH", "no route to host"},
	114: {"FI_EALREADY", "operation already in progress"},
	115: {"FI_EINPROGRESS", "operation now in progress"},
	116: {"ESTALE", "stale file handle"},
	121: {"FI_EREMOTEIO", "remote I/O error"},
	122: {"EDQUOT", "disk quota exceeded"},
	125: {"FI_ECANCELED", "operation canceled"},
	126: {"ENOKEY", "required key not available"},
	127: {"EKEYEXPIRED", "key has expired"},
	128: {"EKEYREVOKED", "key has been revoked"},
	129: {"FI_EKEYREJECTED", "key was rejected by service"},
	130: {"EOWNERDEAD", "owner died"},
	131: {"ENOTRECOVERABLE", "state not recoverable"},
}

// ownErrnoOffset is the first number that is libfabric's own (FI_ERRNO_OFFSET).
const ownErrnoOffset = 256

// ownErrnoTexts covers libfabric's own numbers.
var ownErrnoTexts = [...]errnoText{
	ErrOther - ownErrnoOffset:        {"FI_EOTHER", "unspecified error"},
	ErrTooSmall - ownErrnoOffset:     {"FI_ETOOSMALL", "buffer too small"},
	ErrOpBadState - ownErrnoOffset:   {"FI_EOPBADSTATE", "not possible in this state of the object"},
	ErrAvail - ownErrnoOffset:        {"FI_EAVAIL", "an error entry waits to be read"},
	ErrBadFlags - ownErrnoOffset:     {"FI_EBADFLAGS", "unsupported flags"},
	ErrNoEQ - ownErrnoOffset:         {"FI_ENOEQ", "no event queue"},
	ErrDomain - ownErrnoOffset:       {"FI_EDOMAIN", "objects of different domains"},
	ErrNoCQ - ownErrnoOffset:         {"FI_ENOCQ", "no completion queue"},
	ErrCRC - ownErrnoOffset:          {"FI_ECRC", "checksum mismatch"},
	ErrTruncated - ownErrnoOffset:    {"FI_ETRUNC", "message longer than the buffer"},
	ErrNoKey - ownErrnoOffset:        {"FI_ENOKEY", "key not available"},
	ErrNoAV - ownErrnoOffset:         {"FI_ENOAV", "no address vector"},
	ErrOverrun - ownErrnoOffset:      {"FI_EOVERRUN", "queue overrun"},
	ErrNoRx - ownErrnoOffset:         {"FI_ENORX", "receiver has no buffer posted"},
	ErrNoMR - ownErrnoOffset:         {"FI_ENOMR", "no more memory registrations"},
	ErrFirewallAddr - ownErrnoOffset: {"FI_EFIREWALLADDR", "host is behind a firewall"},
}

func (e Errno) lookup() (errnoText, bool) {
	var t errnoText
	switch {
	case e >= 0 && int(e) < len(sysErrnoTexts):
		t = sysErrnoTexts[e]
	case e >= ownErrnoOffset && int(e-ownErrnoOffset) < len(ownErrnoTexts):
		t = ownErrnoTexts[e-ownErrnoOffset]
	}
	return t, t.name != ""
}

// Error gives the C name and the meaning: "FI_EAGAIN: resource temporarily unavailable".
func (e Errno) Error() string {
	if t, ok := e.lookup(); ok {
		return t.name + ": " + t.text
	}
	return e.Name()
}

// Name is the C name, "FI_EAGAIN"; errno values that libfabric does not define have their bare name ("EPIPE"), others
// "unknown error 999".
func (e Errno) Name() string {
	if t, ok := e.lookup(); ok {
		return t.name
	}
	return "unknown error " + strconv.Itoa(int(e))
}

// Strerror is the meaning alone, with a capital, as libfabric's tools print it (fi_strerror): "No data available".
func (e Errno) Strerror() string {
	t, ok := e.lookup()
	if !ok {
		t.text = e.Name()
	}
	return strings.ToUpper(t.text[:1]) + t.text[1:]
}

// MarshalText gives the name; a number where there is none. It never fails.
func (e Errno) MarshalText() ([]byte, error) {
	if t, ok := e.lookup(); ok {
		return []byte(t.name), nil
	}
	return []byte(strconv.Itoa(int(e))), nil
}

// UnmarshalText takes what [ParseErrno] takes.
func (e *Errno) UnmarshalText(text []byte) error {
	n, err := ParseErrno(string(text))
	if err == nil {
		*e = n
	}
	return err
}
