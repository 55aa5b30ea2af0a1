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
// The number of a process that ended is used again, and exec puts another program into a process: take the number from
// [Conn.Cred], and let the peer vouch for what was read, by [ReadVouched].
//
//fabric:fastpath
func ReadProcess(pid int, local []byte, remote uintptr) (int, error) {
	return readProcess(pid, local, remote, nil)
}

// ReadVouched is [ReadProcess] of a process that still has what v says in its memory when the last byte is read: both are
// one system call, and so of one program. Otherwise nothing that was read counts, and the error is ESRCH.
//
//fabric:fastpath
func ReadVouched(pid int, local []byte, remote uintptr, v *Voucher) (int, error) {
	return readProcess(pid, local, remote, v)
}

func readProcess(pid int, local []byte, remote uintptr, v *Voucher) (int, error) {
	var said [VoucherBytes]byte
	for done := 0; done < len(local); {
		part := local[done:min(len(local), done+piece)]
		to, from := [2]unix.Iovec{{Base: &part[0]}, {Base: &said[0]}}, [2]unix.RemoteIovec{{Base: remote + uintptr(done), Len: len(part)}}
		to[0].SetLen(len(part))
		to[1].SetLen(len(said))
		pieces, most := uintptr(1), uintptr(len(part))
		if v != nil && done+len(part) == len(local) {
			from[1] = unix.RemoteIovec{Base: v.At, Len: len(said)}
			pieces, most = 2, most+VoucherBytes
		}
		n, _, e := unix.RawSyscall6(unix.SYS_PROCESS_VM_READV, uintptr(pid), uintptr(unsafe.Pointer(&to)), pieces,
			uintptr(unsafe.Pointer(&from)), pieces, 0)
		switch {
		case e == unix.EINTR:
		case e != 0:
			osx.RaceWriteRange(local[:done])
			return done, e
		case n == 0 || n > most:
			osx.RaceWriteRange(local[:done])
			return done, unix.EFAULT
		case n < uintptr(len(part)) || pieces == 1:
			done += int(n)
		default:
			osx.RaceWriteRange(local)
			if n < most || said != v.Says {
				return 0, unix.ESRCH
			}
			return len(local), nil
		}
	}
	osx.RaceWriteRange(local)
	return len(local), nil
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
