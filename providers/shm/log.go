package shm

import (
	"fmt"
	"syscall"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/shmem"
)

// note queues a line, and wakes who writes it. Call it only when the level is on.
func (d *domain) note(write func(log driver.Logger)) {
	d.notes.Add(write)
	d.src.knock()
}

// who is the peer of a pair, for people.
func (p *pair) who() string {
	if p.pid == 0 {
		return prefix + p.name
	}
	return fmt.Sprintf("%s%s (process %d)", prefix, p.name, p.pid)
}

// logJoined tells of a new connection.
func (p *pair) logJoined() {
	d := p.d
	if !d.notes.Log.On(driver.LevelInfo) {
		return
	}
	peer, pid, cma, roads := prefix+p.name, p.pid, "no", "map, bulk"
	switch want := d.cfg.road; {
	case want != roadAuto && (want != roadCMA || p.cmaIn):
		roads = want.String()
	case p.cmaIn:
		roads = "map, cma, bulk"
	}
	switch {
	case p.cmaIn:
		cma = "yes"
	case !d.cfg.cma:
		cma = "disabled"
	}
	d.note(func(log driver.Logger) { log.Info("connected", "peer", peer, "pid", pid, "roads", roads, "cma", cma) })
}

// logEnd tells how a pair ends. It is called while the operations that end with it are still there to be counted.
func (p *pair) logEnd(err fi.Errno, text string) {
	d := p.d
	if !d.notes.Log.On(driver.LevelWarn) {
		return
	}
	peer, pid, unfinished, was := prefix+p.name, p.pid, p.inFlight+p.deferred.Len(), p.state
	d.note(func(log driver.Logger) {
		switch {
		case err == fi.ErrConnReset:
			log.Info("peer closed", "peer", peer, "pid", pid, "unfinished", unfinished)
		case err == fi.ErrCanceled:
			log.Debug("connection closed", "peer", peer, "pid", pid, "unfinished", unfinished)
		case was == connecting:
			log.Warn("no connection", "peer", peer, "reason", text, "unfinished", unfinished)
		default:
			log.Warn("connection broken", "peer", peer, "pid", pid, "reason", text, "unfinished", unfinished)
		}
	})
}

// logRefused tells of a process that was not let in.
func (d *domain) logRefused(pid int, reason string) {
	if d.notes.Log.On(driver.LevelWarn) {
		d.note(func(log driver.Logger) { log.Warn("refused a peer", "pid", pid, "reason", reason) })
	}
}

// logNoCMA tells once why the memory of peers cannot be read, and what would change that.
func (d *domain) logNoCMA(pid int, err error) {
	if !d.notes.Log.On(driver.LevelWarn) || d.toldNoCMA.Swap(true) {
		return
	}
	reason, cure := "", "share the pid namespace between the containers"
	switch {
	case err == nil, err == syscall.ESRCH, err == syscall.EFAULT: //nolint:errorlint // documented: a bare value
		reason = "the kernel's number of the peer means another process here"
	case shmem.NotAllowed(err):
		reason = "the system does not allow process_vm_readv (" + err.Error() + ")"
		cure = "sysctl kernel.yama.ptrace_scope=0, or FI_SHM_PTRACER_ANY=1 for both processes; in containers also a " +
			"seccomp profile that allows process_vm_readv"
	default:
		reason, cure = err.Error(), "see fi_info --doctor"
	}
	d.note(func(log driver.Logger) {
		log.Warn("cma is not available: messages of more than 8 KiB from ordinary memory are copied twice", "pid", pid,
			"reason", reason, "cure", cure+"; or send from memory of mr.Alloc; FI_SHM_DISABLE_CMA=1 ends this warning")
	})
}
