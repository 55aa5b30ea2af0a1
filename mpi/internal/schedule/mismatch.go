package schedule

import "fmt"

// MismatchError says that a message is not the one that the schedule waits for: the members called different operations, or
// the same with different counts, roots, types or operations.
type MismatchError struct {
	Peer      int  // world rank of the sender
	Got, Want int  // bytes
	Signature bool // the lengths agree, or were not looked at: the signatures differ
}

// Error says which of both differs.
func (e *MismatchError) Error() string {
	if e.Signature {
		return "the message belongs to another call"
	}
	return fmt.Sprintf("a message of %d bytes came where %d are expected", e.Got, e.Want)
}
