package shmem

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/gofabric/gofabric/internal/osx"
)

// piece is what one system call copies at most (11 us). It is a raw one, which the scheduler does not notice: with an
// ordinary one the runtime takes the P away in the middle of a large copy (30 % slower at 1 MiB), but while a raw one
// runs, nobody can stop the world.
const piece = 256 << 10

// ReadProcess copies len(local) bytes from the address remote of another process into local (process_vm_readv). It returns
// how many bytes came before an error: EFAULT where the other process has no readable memory, EPERM when the system does
// not allow it (ptrace rules, another user, a container), ESRCH when there is no such process. The bytes after those are
// not touched. It allocates nothing.
//
// The number of a process that ended is used again: take it from [Conn.Cred], and let the peer vouch for what was read.
//
//fabric:fastpath
func ReadProcess(pid int, local []byte, remote uintptr) (int, error) {
	done := 0
	for done < len(local) {
		part := local[done:min(len(local), done+piece)]
		to := unix.Iovec{Base: &part[0]}
		to.SetLen(len(part))
		from := unix.RemoteIovec{Base: remote + uintptr(done), Len: len(part)}
		n, _, e := unix.RawSyscall6(unix.SYS_PROCESS_VM_READV, uintptr(pid), uintptr(unsafe.Pointer(&to)), 1,
			uintptr(unsafe.Pointer(&from)), 1, 0)
		switch {
		case e == unix.EINTR:
		case e != 0:
			osx.RaceWriteRange(local[:done])
			return done, e
		case n == 0 || n > uintptr(len(part)):
			osx.RaceWriteRange(local[:done])
			return done, unix.EFAULT
		default:
			done += int(n)
		}
	}
	osx.RaceWriteRange(local)
	return done, nil
}

// AllowReaders lets every process of this user read our memory by [ReadProcess] where the system's ptrace rules
// (ptrace_scope 1) allow only parents. Without such rules it does nothing.
func AllowReaders() error {
	err := unix.Prctl(unix.PR_SET_PTRACER, unix.PR_SET_PTRACER_ANY, 0, 0, 0)
	if err == unix.EINVAL { // no such rules in this kernel
		return nil
	}
	return os.NewSyscallError("prctl(PR_SET_PTRACER)", err)
}
