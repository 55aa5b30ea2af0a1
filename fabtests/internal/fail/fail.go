package fail

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/gofabric/gofabric/fi"
)

// Error is a call that failed.
type Error struct {
	Name string // the C name of the call, "fi_enable"
	File string // where in our source
	Line int
	Err  error
}

// Call wraps the error of a call; nil stays nil. An error that has been wrapped is left as it is.
func Call(name string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*Error](err); ok {
		return err
	}
	e := &Error{Name: name, Err: err}
	if _, file, line, ok := runtime.Caller(1); ok {
		e.File, e.Line = filepath.Base(file), line
	}
	return e
}

// Error is the line that fabtests prints, with the details that we know behind it.
func (e *Error) Error() string {
	n := Errno(e.Err)
	s := fmt.Sprintf("%s(): %s:%d, ret=-%d (%s)", e.Name, e.File, e.Line, int(n), n.Strerror())
	if more := e.Err.Error(); more != n.Error() && more != n.Strerror() {
		s += ": " + strings.ReplaceAll(more, "\n", "; ")
	}
	return s
}

// Unwrap gives Err.
func (e *Error) Unwrap() error { return e.Err }

// Errno is the error number of an error: fi.ErrOther when it has none.
func Errno(err error) fi.Errno {
	if n := fi.FromSyscall(err); n != fi.ErrOther {
		return n
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fi.ErrTimedOut
	case errors.Is(err, context.Canceled):
		return fi.ErrIntr
	}
	return fi.ErrOther
}

// ExitCode is the exit status for an error: 0 for nil, the error number, and 1 for usage errors and numbers that are too
// large for a status.
func ExitCode(err error) int {
	if err == nil {
		return 0
	}
	if _, ok := errors.AsType[*Usage](err); ok {
		return 1
	}
	if c, ok := errors.AsType[interface {
		error
		ExitCode() int
	}](err); ok {
		return c.ExitCode()
	}
	if n := Errno(err); n > 0 && n < 256 {
		return int(n)
	}
	return 1
}

// Usage is a command line that makes no sense.
type Usage struct {
	Text string
	Next string // the command to try
}

// Error gives both parts.
func (u *Usage) Error() string { return u.Text }

// Hint is an error with the command to try next.
type Hint struct {
	Err  error
	Next string
}

// Error gives that of Err.
func (h *Hint) Error() string { return h.Err.Error() }

// Unwrap gives Err.
func (h *Hint) Unwrap() error { return h.Err }

// Next finds the command to try next in an error; "" when it has none.
func Next(err error) string {
	if u, ok := errors.AsType[*Usage](err); ok {
		return u.Next
	}
	if h, ok := errors.AsType[*Hint](err); ok {
		return h.Next
	}
	return ""
}
