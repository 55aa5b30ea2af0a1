//go:build darwin || freebsd || linux || netbsd || openbsd

package osx

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// RLimits reads the limits of this process. Where the system has none it returns [errors.ErrUnsupported].
func RLimits() (Limits, error) {
	var l Limits
	for _, r := range []struct {
		what int
		to   *Limit
	}{{unix.RLIMIT_MEMLOCK, &l.Memlock}, {unix.RLIMIT_NOFILE, &l.Nofile}} {
		var v unix.Rlimit
		if err := unix.Getrlimit(r.what, &v); err != nil {
			return Limits{}, fmt.Errorf("osx: getrlimit: %w", err)
		}
		r.to.Soft, r.to.Hard = limit(uint64(v.Cur)), limit(uint64(v.Max))
	}
	return l, nil
}

// limit turns the system's "infinity", which is the largest signed number on some, into Unlimited.
func limit(v uint64) uint64 {
	if v >= 1<<63-1 {
		return Unlimited
	}
	return v
}
