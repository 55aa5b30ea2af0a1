package cq

import (
	"fmt"

	"github.com/gofabric/gofabric/fi"
)

// Entry is one completion (struct fi_cq_tagged_entry and its shorter forms, fi_cq(3)). The format of the queue says
// which fields are filled: Context always; Flags and Len from CQFormatMsg on; Buf and Data from CQFormatData on; Tag
// with CQFormatTagged. Ours fill all of them in every format.
type Entry struct {
	Context any          // as given when the operation was posted; nil for what a peer did by itself
	Flags   fi.CompFlags // what completed
	Len     int          // bytes received; bytes written by a peer's write with data
	Data    uint64       // the peer's data, if Flags has CompRemoteCQData
	Tag     uint64       // the tag of a tagged message
	Src     fi.Addr      // the sender, with FI_SOURCE; AddrNotAvail when not known
	Buf     []byte       // multi-receive: the part of the buffer where the message lies
}

// ErrEntry is a completion in error (struct fi_cq_err_entry, fi_cq(3)).
type ErrEntry struct {
	Entry
	Err     fi.Errno // the cause
	OLen    int      // bytes that did not fit, when Err is ErrTruncated
	ProvErr int      // the provider's own number; 0 when it has none
	ErrData []byte   // details, such as the address of an unknown sender
	Text    string   // the cause in words (fi_cq_strerror); may be empty
}

// Error makes the entry usable as an error; errors.Is sees Err through it.
func (e *ErrEntry) Error() string {
	s := fmt.Sprintf("%v: %v", e.Flags, e.Err)
	if e.OLen > 0 {
		s += fmt.Sprintf(", %d bytes did not fit", e.OLen)
	}
	if e.Text != "" {
		s += ": " + e.Text
	}
	return s
}

// Unwrap gives Err.
func (e *ErrEntry) Unwrap() error { return e.Err }
