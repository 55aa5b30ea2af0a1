package wire

import (
	"strconv"

	"github.com/gofabric/gofabric/fi"
)

// Error says what is wrong with something that came from a peer. The connection has to end.
type Error struct {
	Msg   string   // the message, "connect request", "write"
	Field string   // its field, "size"
	Value uint64   // what the field holds
	Want  string   // what it may hold
	Errno fi.Errno // fi.ErrProto; of the handshake what C's initiator reports for the same
}

// Error gives "connect request: version is 4, want 3".
func (e *Error) Error() string {
	return e.Msg + ": " + e.Field + " is " + strconv.FormatUint(e.Value, 10) + ", want " + e.Want
}

// Unwrap gives the error number.
func (e *Error) Unwrap() error { return e.Errno }

//go:noinline
func refuse(msg, field string, value uint64, want string) error {
	return &Error{Msg: msg, Field: field, Value: value, Want: want, Errno: fi.ErrProto}
}

//go:noinline
func refuseAs(errno fi.Errno, msg, field string, value uint64, want string) error {
	return &Error{Msg: msg, Field: field, Value: value, Want: want, Errno: errno}
}
