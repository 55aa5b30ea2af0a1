//go:build !unix && !windows

package fi

import "errors"

func (e Errno) isSyscall(error) bool { return false }

// FromSyscall gives the [Errno] in err's tree; [Success] for nil and [ErrOther] where there is none.
func FromSyscall(err error) Errno {
	if err == nil {
		return Success
	}
	if e, ok := errors.AsType[Errno](err); ok {
		return e
	}
	return ErrOther
}
