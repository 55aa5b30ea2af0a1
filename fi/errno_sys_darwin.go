package fi

import "syscall"

var sysErrnoExtras = []sysErrno{
	{ErrNoData, syscall.ENODATA}, {62, syscall.ETIME}, {130, syscall.EOWNERDEAD}, {131, syscall.ENOTRECOVERABLE},
}
