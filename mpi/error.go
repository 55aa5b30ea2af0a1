package mpi

import (
	"errors"
	"strconv"
	"strings"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mpi/internal/device"
)

// Error is what all calls of this package return when they fail. errors.Is sees Class and Err through it.
type Error struct {
	Op    string // the call: "Send"
	Class Class
	Rank  int    // the peer concerned, a rank of the communicator; NoRank
	Err   error  // the cause below: an fi.Errno, the context's error; may be nil
	Hint  string // the cause in numbers, or what to do next; may be empty

	// Request is what goes on when the context of a blocking call ended before it: its buffer stays in use until the
	// request is over. Nil when nothing goes on.
	Request *Request
}

// NoRank is Error.Rank when no peer is concerned.
const NoRank = -1

// Error gives "mpi: call: class: rank: cause (hint)".
func (e *Error) Error() string {
	parts := []string{"mpi", e.Op}
	if e.Class != ErrOther || e.Err == nil {
		parts = append(parts, strings.TrimPrefix(e.Class.Error(), "mpi: "))
	}
	if e.Rank >= 0 {
		parts = append(parts, "rank "+strconv.Itoa(e.Rank))
	}
	if e.Err != nil {
		parts = append(parts, strings.ReplaceAll(e.Err.Error(), "\n", ": "))
	}
	text := strings.Join(parts, ": ")
	if e.Hint != "" {
		text += " (" + e.Hint + ")"
	}
	return text
}

// Unwrap gives Class and Err.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Class}
	}
	return []error{e.Class, e.Err}
}

// within gives the error of a call that another one has made the name of that one, which the program knows.
func within(call string, err error) error {
	if e, ok := err.(*Error); ok { //nolint:errorlint // one that was wrapped says more
		with := *e
		with.Op = call
		return &with
	}
	return err
}

// bad makes the error of an argument that cannot be.
func bad(call string, class Class, rank int, hint string) *Error {
	return &Error{Op: call, Class: class, Rank: rank, Hint: hint}
}

// fault makes an error of what the device or the fabric said.
func (c *Comm) fault(call string, peer int, err error) error {
	if err == nil {
		return nil
	}
	e := &Error{Op: call, Class: ErrOther, Rank: peer, Err: err}
	failed, isFailed := errors.AsType[*device.FailedError](err)
	if isFailed {
		e.Rank = c.peer(failed.Rank) // -1, NoRank, for one of another group
		if c.between != nil {
			e.Rank = c.between.peer(failed.Rank)
		}
	}
	switch {
	case isFailed && failed.Pending:
		e.Class = ErrProcFailedPending
		e.Hint = "others may still send: after AckFailed such receives wait again"
	case errors.Is(err, device.ErrRevoked):
		e.Class, e.Err = ErrRevoked, nil
		e.Hint = "a member has called Revoke: Shrink makes a communicator of those that live"
	case isFailed, device.Gone(err), peer >= 0 && c.job.dev.Failed(c.world(peer)):
		e.Class = ErrProcFailed
		e.Hint = "the process has ended or cannot be reached; calls that do not need it go on"
	case errors.Is(err, fi.ErrTruncated):
		e.Class = ErrTruncated
	case c.job.closed.Load():
		e.Class = ErrClosed
	}
	return e
}
