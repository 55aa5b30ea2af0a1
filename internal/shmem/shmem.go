package shmem

import (
	"errors"
	"syscall"
)

// Access says how a peer's memory is mapped.
type Access uint8

// The ways to map.
const (
	ReadOnly Access = iota
	ReadWrite
)

// Flags are options of [Create] and [MapPeer].
type Flags uint8

const (
	// Populate makes the pages at once: the first touch of each one otherwise falls into the first messages. Create then
	// fails when there is not enough memory, where a later touch would be fatal.
	Populate Flags = 1 << iota
	// OwnerWrites lets nobody but the maker write: the file is sealed against new writable mappings once the maker has its
	// own. For Create only.
	OwnerWrites
)

// Limits of a message.
const (
	MaxMessage     = 1024 // bytes
	MaxDescriptors = 16
)

var (
	// ErrAgain says that the call would have to wait; compare with ==.
	ErrAgain error = syscall.EAGAIN
	// ErrNotSealed says that a peer's memory file may still change its size.
	ErrNotSealed = errors.New("memory file is not sealed")
	// ErrWrongSize says that a peer's memory file does not have the size that was agreed on.
	ErrWrongSize = errors.New("memory file has another size")
	// ErrNotMemory says that what a peer sent is not an ordinary memory file. One of huge pages is refused too: touching
	// it can be fatal when none is free.
	ErrNotMemory = errors.New("not an ordinary memory file")
	// ErrTruncated says that a message or its descriptors did not fit or could not be received (too many open files); what
	// did come has been closed.
	ErrTruncated = errors.New("message or descriptors truncated")
	// ErrDescriptors says that a message does not carry the agreed number of descriptors; all have been closed.
	ErrDescriptors = errors.New("wrong number of descriptors")
)

// Cred tells who is on the other side of a connection, as seen when it was made, from this process's namespaces.
type Cred struct {
	PID int // 0: a process that cannot be seen from here
	UID int
	GID int
}

// Barriers are the process-wide memory barriers that work.
type Barriers uint8

const (
	// GlobalBarriers: [GlobalBarrier] works, and the threads of this process take part in those of other processes. This
	// half is what a peer must know.
	GlobalBarriers Barriers = 1 << iota
	// PrivateBarriers: [PrivateBarrier] works.
	PrivateBarriers
)

// Events are what an [Epoll] reports of a descriptor, as bits.
type Events uint32

// Event bits. Hangup and failure are reported whether asked for or not.
const (
	In     Events = 0x1    // something to read or accept, or: the process of a pidfd has ended
	Out    Events = 0x4    // room to write
	Failed Events = 0x8    // an error waits
	Hangup Events = 0x2010 // the other side is gone or will send no more
)

// Addr is the address of a [Listener].
type Addr struct {
	name string // as the socket calls want it: an abstract one begins with @
}

// Abstract is an address that is in no file system: it exists as long as its socket, in one network namespace. Everybody
// there can connect and can take a free name, so both sides check [Conn.Cred].
func Abstract(name string) Addr { return Addr{"@" + name} }

// Path is the address of a socket file.
func Path(path string) Addr {
	if len(path) > 0 && path[0] == '@' {
		path = "./" + path
	}
	return Addr{path}
}

// String is the path, or the abstract name with an @ in front.
func (a Addr) String() string { return a.name }

func (a Addr) abstract() bool { return len(a.name) > 0 && a.name[0] == '@' }

// check keeps names within what fits in a socket address, as an error and not cut off.
func (a Addr) check() error {
	switch {
	case len(a.name) == 0 || a.name == "@":
		return syscall.EINVAL
	case len(a.name) > maxName:
		return syscall.ENAMETOOLONG
	}
	for i := range len(a.name) {
		if a.name[i] == 0 {
			return syscall.EINVAL
		}
	}
	return nil
}

const maxName = 107
