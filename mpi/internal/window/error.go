package window

import (
	"errors"
	"fmt"

	"github.com/gofabric/gofabric/fi"
)

// Kind says what is wrong.
type Kind uint8

// Kinds of errors.
const (
	Other    Kind = iota
	Sync          // no epoch, or one that is in the way
	Range         // outside of the target's memory
	Closed        // the window is freed, or of another kind
	Rank          // no such member
	Memory        // memory that cannot be used for this
	Type          // elements that have no such operation
	Mismatch      // members gave different arguments
	Failed        // the member has ended
	Cannot        // the provider cannot do it
	Pending       // the context ended; something goes on
	Argument      // another argument that cannot be
)

// Error is what is wrong with an access or a call.
type Error struct {
	Kind Kind
	Rank int // the member concerned; -1
	Err  error
	Hint string
}

// Error gives the words.
func (e *Error) Error() string {
	if e.Err == nil {
		return e.Hint
	}
	if e.Hint == "" {
		return e.Err.Error()
	}
	return e.Err.Error() + " (" + e.Hint + ")"
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

//go:noinline
func fault(k Kind, rank int, format string, args ...any) *Error {
	return &Error{Kind: k, Rank: rank, Hint: fmt.Sprintf(format, args...)}
}

// kindOf is the kind of an error of this package; Other for those of others.
func kindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return Other
}

func isErrno(err error, want fi.Errno) bool { return errors.Is(err, want) }
