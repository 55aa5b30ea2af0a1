package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/gofabric/gofabric/fi"
)

// talker is a fabtests process whose standard error is read line by line.
type talker struct {
	cmd   *exec.Cmd
	lines chan string // closed at the end
}

// talk starts one side of an endless ping-pong, as a user of two terminals would.
func talk(t *testing.T, folder string, args ...string) *talker {
	t.Helper()
	self, err := exec.LookPath("fabtests")
	if err != nil {
		t.Fatal(err)
	}
	p := &talker{cmd: exec.Command(self, append([]string{"rdm_pingpong", "-p", "shm", "-I", "1000000000", "-S", "64"}, args...)...),
		lines: make(chan string, 100)}
	p.cmd.Env = append(os.Environ(), "FI_LOG_LEVEL=info", "FI_SHM_SOCKET_DIR="+folder)
	stderr, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.cmd.Process.Kill() }) //nolint:errcheck // it has ended when all went well
	go func() {
		defer close(p.lines)
		for sc := bufio.NewScanner(stderr); sc.Scan(); {
			p.lines <- sc.Text()
		}
		io.Copy(io.Discard, stderr) //nolint:errcheck // a line that was too long
	}()
	return p
}

// says waits for a line with a text.
func (p *talker) says(t *testing.T, text string, within time.Duration) string {
	t.Helper()
	limit := time.After(within)
	var said []string
	for {
		select {
		case l, more := <-p.lines:
			if said = append(said, l); strings.Contains(l, text) {
				return l
			}
			if !more {
				t.Fatalf("it ended without %q:\n%s", text, strings.Join(said, "\n"))
			}
		case <-limit:
			t.Fatalf("no %q within %v:\n%s", text, within, strings.Join(said, "\n"))
			return ""
		}
	}
}

// status waits for the end.
func (p *talker) status(within time.Duration) (int, error) {
	end := time.AfterFunc(within, func() { p.cmd.Process.Kill() }) //nolint:errcheck // it has just ended
	for range p.lines {                                            // all is read before Wait closes the pipe
	}
	p.cmd.Wait() //nolint:errcheck // its status tells
	if !end.Stop() {
		return 0, fmt.Errorf("it did not end within %v", within)
	}
	return p.cmd.ProcessState.ExitCode(), nil
}

// TestFirstMinutes10CtrlC presses Ctrl-C at one side, in the middle of a run or before there is a peer: nothing is left
// behind, and the peer, or the one whose peer is killed without notice, says "peer closed" within a second and ends. The second is
// of time in which it can look: others may use the machine.
func TestFirstMinutes10CtrlC(t *testing.T) {
	const tries = 12 // of a machine that may be busy with something else
	for _, c := range []struct {
		name   string
		client bool // it is the client that ends
		sig    os.Signal
		status int // of the side that gets the signal; -1: killed
	}{
		{"client interrupted", true, os.Interrupt, interrupted},
		{"server interrupted", false, os.Interrupt, interrupted},
		{"client killed", true, syscall.SIGKILL, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			took := time.Hour
			for range tries {
				one := endOne(t, c.client, c.sig, c.status)
				t.Logf("it took turns of %v", one)
				if took = min(took, one); took < time.Second {
					return
				}
			}
			if !raceEnabled {
				t.Errorf("the peer said it after %v", took)
			}
		})
	}
	t.Run("alone", func(t *testing.T) {
		folder := t.TempDir()
		server := talk(t, folder, "-B", "minutes10")
		server.says(t, "endpoint enabled", patience)
		if err := server.cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if code, err := server.status(patience); err != nil || code != interrupted {
			t.Errorf("status %d, %v", code, err)
		}
		empty(t, folder)
	})
}

// patience is how long a process may take on a busy machine.
const patience = 30 * time.Second

// endOne runs both sides, ends one, and tells how long the other took to say so, in turns on a processor.
func endOne(t *testing.T, endClient bool, sig os.Signal, status int) time.Duration {
	folder := t.TempDir()
	server := talk(t, folder, "-B", "minutes10")
	server.says(t, "endpoint enabled", patience)
	client := talk(t, folder, "-P", "minutes10", "localhost")
	client.says(t, "connected", patience)
	server.says(t, "connected", patience)
	ends, stays := server, client
	if endClient {
		ends, stays = client, server
	}
	if err := ends.cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
	turns := watch()
	if said := stays.says(t, "fabtests: ", patience); !strings.Contains(said, "peer closed") {
		t.Errorf("the peer says %s", said)
	}
	took := turns()
	if code, err := stays.status(patience); err != nil || code != int(fi.ErrConnReset) {
		t.Errorf("the peer: status %d, %v", code, err)
	}
	if code, err := ends.status(patience); err != nil || code != status {
		t.Errorf("status %d, %v", code, err)
	}
	if status == interrupted {
		empty(t, folder)
	}
	return took
}

// watch counts the time in which a process that looks all the time gets its turns on this machine, as the peer does: that of
// a thread which spins. What it returns ends that and gives the time.
func watch() func() time.Duration {
	var over atomic.Bool
	took := make(chan time.Duration)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends
		for !over.Load() {
		}
		var used syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_THREAD, &used); err != nil {
			panic(err) // it knows its own thread
		}
		took <- time.Duration(used.Utime.Nano() + used.Stime.Nano())
	}()
	return func() time.Duration {
		over.Store(true)
		return <-took
	}
}

// empty wants nothing in the folder of sockets and nothing of ours in /dev/shm.
func empty(t *testing.T, folder string) {
	t.Helper()
	for _, pattern := range []string{filepath.Join(folder, "*"), "/dev/shm/*gofabric*"} {
		if left, err := filepath.Glob(pattern); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v %v", left, err)
		}
	}
}
