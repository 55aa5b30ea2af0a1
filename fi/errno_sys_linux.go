package fi

import "syscall"

var sysErrnoExtras = []sysErrno{
	{ErrNoData, syscall.ENODATA}, {62, syscall.ETIME}, {ErrRemoteIO, syscall.EREMOTEIO}, {126, syscall.ENOKEY},
	{127, syscall.EKEYEXPIRED}, {128, syscall.EKEYREVOKED}, {ErrKeyRejected, syscall.EKEYREJECTED},
	{130, syscall.EOWNERDEAD}, {131, syscall.ENOTRECOVERABLE},
}
