package shmem

import (
	"fmt"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// Mapping is memory that a peer made, mapped here.
type Mapping struct {
	mu  sync.Mutex
	mem []byte
}

// Bytes is the memory; nil after Unmap.
func (m *Mapping) Bytes() []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.mem
}

// Unmap takes the memory away. Touching slices of it afterwards is fatal: the caller makes sure that nobody does. A second
// call does nothing.
func (m *Mapping) Unmap() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.mem == nil {
		return nil
	}
	err := unix.Munmap(m.mem)
	m.mem = nil
	return os.NewSyscallError("munmap", err)
}

// File is an anonymous memory file (memfd) that this process made and has mapped for reading and writing. Its size is
// sealed, so that whoever maps it can rely on it.
type File struct {
	Mapping
	fd int
}

// Create makes a memory file of size bytes, zeroed; name is for /proc only. The descriptor is the caller's to pass on
// ([File.FD]) and to close ([File.Close]).
func Create(name string, size int, flags Flags) (*File, error) {
	if size <= 0 {
		return nil, fmt.Errorf("shmem: create %d bytes: %w", size, unix.EINVAL)
	}
	fd, err := memfd(name)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	f := &File{fd: fd}
	if err := f.build(size, flags); err != nil {
		f.Close()
		return nil, fmt.Errorf("shmem: create %d bytes: %w", size, err)
	}
	return f, nil
}

// memfd makes a file that can never be executed, where the kernel (6.3) has that.
func memfd(name string) (int, error) {
	const flags = unix.MFD_CLOEXEC | unix.MFD_ALLOW_SEALING
	fd, err := unix.MemfdCreate(name, flags|unix.MFD_NOEXEC_SEAL)
	if err == unix.EINVAL {
		fd, err = unix.MemfdCreate(name, flags)
	}
	return fd, err
}

func (f *File) build(size int, flags Flags) error {
	err := unix.Ftruncate(f.fd, int64(size))
	if err != nil {
		return os.NewSyscallError("ftruncate", err)
	}
	if flags&Populate != 0 {
		if err := retry(func() error { return unix.Fallocate(f.fd, 0, 0, int64(size)) }); err != nil {
			return os.NewSyscallError("fallocate", err)
		}
	}
	if f.mem, err = mmap(f.fd, size, ReadWrite, flags); err != nil {
		return err
	}
	seals := unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL
	if flags&OwnerWrites != 0 {
		seals |= unix.F_SEAL_FUTURE_WRITE // 5.1; our mapping stays as it is
	}
	if _, err := unix.FcntlInt(uintptr(f.fd), unix.F_ADD_SEALS, seals); err != nil {
		return os.NewSyscallError("fcntl(F_ADD_SEALS)", err)
	}
	return nil
}

// FD is the descriptor, for [Conn.Send]. It stays the file's.
func (f *File) FD() int { return f.fd }

// CloseFD closes the descriptor and keeps the mapping: nobody can be given the file any more. Not beside other uses of
// the descriptor.
func (f *File) CloseFD() error {
	if f.fd < 0 {
		return nil
	}
	fd := f.fd
	f.fd = -1
	return os.NewSyscallError("close", unix.Close(fd))
}

// Close unmaps the memory and closes the descriptor. A second call does nothing. Peers keep their mappings.
func (f *File) Close() error {
	err := f.Unmap()
	if err2 := f.CloseFD(); err == nil {
		err = err2
	}
	return err
}

// MapPeer maps a memory file that came from a peer: only a memfd of exactly size bytes whose size is sealed for good, so
// that no access to it can fail. The descriptor stays the caller's and may be closed at once.
//
// Errors: [ErrNotMemory], [ErrNotSealed], [ErrWrongSize], or the system's (EACCES or EPERM when it may only be read).
func MapPeer(fd, size int, access Access, flags Flags) (*Mapping, error) {
	if err := checkPeer(fd, size); err != nil {
		return nil, fmt.Errorf("shmem: map peer: %w", err)
	}
	mem, err := mmap(fd, size, access, flags)
	if err != nil {
		return nil, fmt.Errorf("shmem: map peer: %w", err)
	}
	return &Mapping{mem: mem}, nil
}

func checkPeer(fd, size int) error {
	var st unix.Stat_t
	if err := retry(func() error { return unix.Fstat(fd, &st) }); err != nil {
		return os.NewSyscallError("fstat", err)
	}
	var fs unix.Statfs_t
	if err := retry(func() error { return unix.Fstatfs(fd, &fs) }); err != nil {
		return os.NewSyscallError("fstatfs", err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG || fs.Type != unix.TMPFS_MAGIC {
		return ErrNotMemory
	}
	const need = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL
	seals, err := unix.FcntlInt(uintptr(fd), unix.F_GET_SEALS, 0)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotMemory, os.NewSyscallError("fcntl(F_GET_SEALS)", err))
	}
	if seals&need != need {
		return fmt.Errorf("%w: seals %#x, want %#x", ErrNotSealed, seals, need)
	}
	// After the seals: before them the size could still have changed.
	if err := retry(func() error { return unix.Fstat(fd, &st) }); err != nil {
		return os.NewSyscallError("fstat", err)
	}
	if size <= 0 || st.Size != int64(size) {
		return fmt.Errorf("%w: %d bytes, want %d", ErrWrongSize, st.Size, size)
	}
	return nil
}

func mmap(fd, size int, access Access, flags Flags) ([]byte, error) {
	prot, how := unix.PROT_READ, unix.MAP_SHARED
	if access == ReadWrite {
		prot |= unix.PROT_WRITE
	}
	if flags&Populate != 0 {
		how |= unix.MAP_POPULATE
	}
	mem, err := unix.Mmap(fd, 0, size, prot, how)
	return mem, os.NewSyscallError("mmap", err)
}

// retry repeats a call that a signal interrupted.
func retry(call func() error) error {
	for {
		if err := call(); err != unix.EINTR {
			return err
		}
	}
}
