package shmem

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

func TestCreateAndMap(t *testing.T) {
	noLeak(t)
	for _, size := range []int{1, 4096, 64 << 10, 100_000} {
		for _, flags := range []Flags{0, Populate, OwnerWrites, Populate | OwnerWrites} {
			f, err := Create("test", size, flags)
			if err != nil {
				t.Fatal(err)
			}
			if len(f.Bytes()) != size {
				t.Fatal(len(f.Bytes()))
			}
			f.Bytes()[size-1] = 42
			p, err := MapPeer(f.FD(), size, ReadOnly, Populate)
			if err != nil {
				t.Fatal(err)
			}
			if p.Bytes()[size-1] != 42 {
				t.Error("other memory")
			}
			f.Bytes()[size-1] = 43 // the owner's mapping stays writable
			if p.Bytes()[size-1] != 43 {
				t.Error("a copy")
			}
			w, err := MapPeer(f.FD(), size, ReadWrite, 0)
			if flags&OwnerWrites != 0 {
				if !errors.Is(err, os.ErrPermission) {
					t.Errorf("mapped for writing: %v", err)
				}
			} else if err != nil {
				t.Error(err)
			} else {
				w.Bytes()[0] = 7
				if f.Bytes()[0] != 7 {
					t.Error("a copy")
				}
				w.Unmap()
			}
			if err := unix.Ftruncate(f.FD(), 0); err != unix.EPERM {
				t.Errorf("shrunk: %v", err)
			}
			if err := unix.Ftruncate(f.FD(), int64(size)+1); err != unix.EPERM {
				t.Errorf("grown: %v", err)
			}
			if _, err := unix.FcntlInt(uintptr(f.FD()), unix.F_ADD_SEALS, unix.F_SEAL_WRITE); err != unix.EPERM {
				t.Errorf("sealed again: %v", err)
			}
			if f.CloseFD() != nil || f.FD() != -1 || len(f.Bytes()) != size {
				t.Error("CloseFD")
			}
			for range 2 {
				if err := f.Close(); err != nil || f.Bytes() != nil {
					t.Error(err)
				}
				if err := p.Unmap(); err != nil || p.Bytes() != nil {
					t.Error(err)
				}
			}
		}
	}
}

func TestCreateRefuses(t *testing.T) {
	noLeak(t)
	for _, size := range []int{0, -1, -1 << 40} {
		if f, err := Create("test", size, 0); f != nil || !errors.Is(err, unix.EINVAL) {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
	if f, err := Create("test", 1<<62, 0); f != nil || err == nil {
		t.Error("made 4 EiB")
	}
	if f, err := Create("a\x00b", 4096, 0); f != nil || err == nil {
		t.Error("made a name with a zero")
	}
}

// Whatever a peer sends that could change or vanish under us is refused.
func TestMapPeerRefuses(t *testing.T) {
	noLeak(t)
	const size = 2 << 20
	memory := func(flags, seals int, size int64) int {
		fd, err := unix.MemfdCreate("test", flags|unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
		if err != nil {
			t.Logf("memfd_create with %#x: %v", flags, err)
			return -1
		}
		if err := unix.Ftruncate(fd, size); err != nil {
			t.Fatal(err)
		}
		if seals != 0 {
			if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals); err != nil {
				t.Fatal(err)
			}
		}
		return fd
	}
	const good = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL
	open := func(path string, flags int) int {
		fd, err := unix.Open(path, flags|unix.O_CLOEXEC, 0600)
		if err != nil {
			t.Logf("%s: %v", path, err)
			return -1
		}
		return fd
	}
	plain := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(plain, make([]byte, size), 0600); err != nil {
		t.Fatal(err)
	}
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	defer unix.Close(pipe[1])
	secret := -1
	if fd, _, e := unix.RawSyscall(unix.SYS_MEMFD_SECRET, unix.O_CLOEXEC, 0, 0); e == 0 {
		secret = int(fd)
	}
	shm, err := os.CreateTemp("/dev/shm", "test-of-names") // on tmpfs, but a file with a name; tests of others look for "gofabric" there
	if err == nil {
		defer os.Remove(shm.Name())
		defer shm.Close()
		shm.Truncate(size)
	}
	for _, c := range []struct {
		name string
		fd   int
		want error
	}{
		{"unsealed", memory(0, 0, size), ErrNotSealed},
		{"may grow", memory(0, unix.F_SEAL_SHRINK|unix.F_SEAL_SEAL, size), ErrNotSealed},
		{"may shrink", memory(0, unix.F_SEAL_GROW|unix.F_SEAL_SEAL, size), ErrNotSealed},
		{"may be sealed more", memory(0, unix.F_SEAL_GROW|unix.F_SEAL_SHRINK, size), ErrNotSealed},
		{"too small", memory(0, good, size-4096), ErrWrongSize},
		{"too large", memory(0, good, size+1), ErrWrongSize},
		{"empty", memory(0, good, 0), ErrWrongSize},
		{"huge pages", memory(unix.MFD_HUGETLB, good, size), ErrNotMemory},
		{"secret", secret, ErrNotMemory},
		{"file", open(plain, unix.O_RDWR), nil}, // which of the checks finds it depends on the file system
		{"pipe", pipe[0], ErrNotMemory},
		{"folder", open("/", unix.O_RDONLY), ErrNotMemory},
		{"null", open("/dev/null", unix.O_RDWR), ErrNotMemory},
		{"proc", open("/proc/self/maps", unix.O_RDONLY), ErrNotMemory},
	} {
		if c.fd < 0 {
			continue
		}
		m, err := MapPeer(c.fd, size, ReadWrite, 0)
		if m != nil || err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		unix.Close(c.fd)
	}
	if shm != nil {
		if m, err := MapPeer(int(shm.Fd()), size, ReadWrite, 0); m != nil || !errors.Is(err, ErrNotSealed) {
			t.Errorf("file in /dev/shm: %v", err)
		}
	}
	for _, fd := range []int{-1, 1 << 20} {
		if m, err := MapPeer(fd, size, ReadWrite, 0); m != nil || !errors.Is(err, unix.EBADF) {
			t.Errorf("descriptor %d: %v", fd, err)
		}
	}
	f, err := Create("test", 4096, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, size := range []int{0, -4096} {
		if m, err := MapPeer(f.FD(), size, ReadWrite, 0); m != nil || !errors.Is(err, ErrWrongSize) {
			t.Errorf("size %d: %v", size, err)
		}
	}
	ro := open("/proc/self/fd/"+strconv.Itoa(f.FD()), unix.O_RDONLY)
	defer unix.Close(ro)
	if m, err := MapPeer(ro, 4096, ReadWrite, 0); m != nil || !errors.Is(err, os.ErrPermission) {
		t.Errorf("read-only descriptor: %v", err)
	}
}

func TestMemoryCannotRun(t *testing.T) {
	noLeak(t)
	f, err := Create("test", 4096, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var st unix.Stat_t
	if err := unix.Fstat(f.FD(), &st); err != nil {
		t.Fatal(err)
	}
	seals, _ := unix.FcntlInt(uintptr(f.FD()), unix.F_GET_SEALS, 0)
	if seals&unix.F_SEAL_EXEC == 0 {
		t.Skip("this kernel has no such memory files")
	}
	if st.Mode&0111 != 0 {
		t.Errorf("mode %o", st.Mode)
	}
}
