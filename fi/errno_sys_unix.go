//go:build unix && !linux && !darwin

package fi

// Everything else here has the common errors only.
var sysErrnoExtras []sysErrno
