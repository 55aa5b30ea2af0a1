//go:build !linux

package shmem

import "errors"

// Listener is a local socket; there is none on this system.
type Listener struct{}

// Listen returns errors.ErrUnsupported on this system.
func Listen(Addr) (*Listener, error) { return nil, errors.ErrUnsupported }

// Reserve returns errors.ErrUnsupported on this system.
func Reserve(Addr) (*Listener, error) { return nil, errors.ErrUnsupported }

// Start returns errors.ErrUnsupported on this system.
func (*Listener) Start() error { return errors.ErrUnsupported }

// CheckPlace returns errors.ErrUnsupported on this system.
func CheckPlace(Addr) error { return errors.ErrUnsupported }

// FD is -1 on this system.
func (*Listener) FD() int { return -1 }

// Accept returns errors.ErrUnsupported on this system.
func (*Listener) Accept() (*Conn, error) { return nil, errors.ErrUnsupported }

// Close does nothing on this system.
func (*Listener) Close() error { return nil }

// Conn is one end of a connection; there is none on this system.
type Conn struct{}

// Connect returns errors.ErrUnsupported on this system.
func Connect(Addr) (*Conn, error) { return nil, errors.ErrUnsupported }

// SocketPair returns errors.ErrUnsupported on this system.
func SocketPair() (a, b *Conn, err error) { return nil, nil, errors.ErrUnsupported }

// FD is -1 on this system.
func (*Conn) FD() int { return -1 }

// Cred returns errors.ErrUnsupported on this system.
func (*Conn) Cred() (Cred, error) { return Cred{}, errors.ErrUnsupported }

// PidFD returns errors.ErrUnsupported on this system.
func (*Conn) PidFD() (int, error) { return -1, errors.ErrUnsupported }

// OpenPid returns errors.ErrUnsupported on this system.
func OpenPid(int) (int, error) { return -1, errors.ErrUnsupported }

// Dead is false on this system.
func Dead(int) bool { return false }

// Ring returns errors.ErrUnsupported on this system.
func (*Conn) Ring() error { return errors.ErrUnsupported }

// Drain returns errors.ErrUnsupported on this system.
func (*Conn) Drain() error { return errors.ErrUnsupported }

// Send returns errors.ErrUnsupported on this system.
func (*Conn) Send([]byte, ...int) error { return errors.ErrUnsupported }

// Recv returns errors.ErrUnsupported on this system.
func (*Conn) Recv(*Message) error { return errors.ErrUnsupported }

// Close does nothing on this system.
func (*Conn) Close() error { return nil }

// CloseFD returns errors.ErrUnsupported on this system.
func CloseFD(int) error { return errors.ErrUnsupported }

// Message is a received message; there is none on this system.
type Message struct{}

// Bytes is nil on this system.
func (*Message) Bytes() []byte { return nil }

// IsBell is false on this system.
func (*Message) IsBell() bool { return false }

// Descriptors is 0 on this system.
func (*Message) Descriptors() int { return 0 }

// Take returns errors.ErrUnsupported on this system.
func (*Message) Take(int) ([]int, error) { return nil, errors.ErrUnsupported }

// Close does nothing on this system.
func (*Message) Close() {}
