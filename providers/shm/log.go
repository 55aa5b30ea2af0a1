package shm

import (
	"fmt"
	"sync"
	"syscall"
	"time"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/shmem"
)

// notes are lines for the log that wait to be written. Most of what there is to tell happens with the domain's lock held,
// and where lines go is somebody else's code: so they are written later, in order, by the source's goroutine, or by who
// closes an endpoint or the domain.
type notes struct {
	log driver.Logger

	mu    sync.Mutex
	lines []func()      // guarded by mu
	busy  bool          // somebody writes; guarded by mu
	done  chan struct{} // closed when that one has ended; guarded by mu
	noCMA bool          // warned; guarded by mu
}

// note queues a line. Call it only when the level is on: values that change are read by the caller.
func (d *domain) note(write func(log driver.Logger)) {
	n := &d.notes
	n.mu.Lock()
	n.lines = append(n.lines, func() { write(n.log) })
	n.mu.Unlock()
	d.src.knock()
}

// flush writes what waits. Without the domain's lock. A log that calls us back finds somebody busy and goes on.
func (n *notes) flush() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.busy {
		return
	}
	n.busy, n.done = true, make(chan struct{})
	for len(n.lines) > 0 {
		lines := n.lines
		n.lines = nil
		n.mu.Unlock()
		for _, write := range lines {
			write()
		}
		n.mu.Lock()
	}
	n.busy = false
	close(n.done)
}

// settle is flush that also waits for another one who writes, for who closes: the process may end next. Not for ever,
// since that one may be a log that calls us back.
func (n *notes) settle() {
	n.flush()
	n.mu.Lock()
	busy, done := n.busy, n.done
	n.mu.Unlock()
	if busy {
		select {
		case <-done:
		case <-time.After(100 * time.Millisecond):
		}
	}
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
	if !d.notes.log.On(driver.LevelInfo) {
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
	if !d.notes.log.On(driver.LevelWarn) {
		return
	}
	peer, pid, unfinished, was := prefix+p.name, p.pid, p.inFlight+p.deferred.len(), p.state
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
	if d.notes.log.On(driver.LevelWarn) {
		d.note(func(log driver.Logger) { log.Warn("refused a peer", "pid", pid, "reason", reason) })
	}
}

// logNoCMA tells once why the memory of peers cannot be read, and what would change that.
func (d *domain) logNoCMA(pid int, err error) {
	n := &d.notes
	if !n.log.On(driver.LevelWarn) {
		return
	}
	n.mu.Lock()
	told := n.noCMA
	n.noCMA = true
	n.mu.Unlock()
	if told {
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
