package shmem

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"

	"go.uber.org/goleak"
)

// children are what this program does when a test starts it again. Each ends when its standard input does.
var children = map[string]func(){}

func TestMain(m *testing.M) {
	if f := children[os.Getenv("SHMEM_CHILD")]; f != nil {
		f()
		os.Exit(0)
	}
	if e, err := NewEpoll(); err == nil { // the runtime opens its own poller at the first use
		e.Close()
	}
	goleak.VerifyTestMain(m)
}

// child starts this program as one of the children and returns the line that it prints first.
func child(t testing.TB, name, arg string) (cmd *exec.Cmd, line string) {
	t.Helper()
	cmd = exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), "SHMEM_CHILD="+name, "SHMEM_ARG="+arg)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	line, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("child %s said %q: %v", name, line, err)
	}
	return cmd, line[:len(line)-1]
}

// said prints a child's line and waits for the end of the input.
func said(format string, args ...any) {
	fmt.Printf(format+"\n", args...)
	io.Copy(io.Discard, os.Stdin)
}

// noLeak checks at the end of the test that no descriptor is left.
func noLeak(t testing.TB) {
	t.Helper()
	before := openFDs(t)
	t.Cleanup(func() {
		if after := openFDs(t); after != before {
			t.Errorf("%d descriptors are open, %d were", after, before)
		}
	})
}

func openFDs(t testing.TB) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

func name() Addr { return Abstract(fmt.Sprintf("gofabric/test/%d/%x", os.Getpid(), rand.Uint64())) }

func listen(t testing.TB, a Addr) *Listener {
	t.Helper()
	l, err := Listen(a)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// pair is a connection through a listener: the end that connected and the one that accepted.
func pair(t testing.TB) (a, b *Conn) {
	t.Helper()
	addr := name()
	l := listen(t, addr)
	a, err := Connect(addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	if b, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return a, b
}
