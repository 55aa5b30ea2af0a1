package osx

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"testing"
	"time"
	"unsafe"
)

func TestMain(m *testing.M) {
	if os.Getenv("OSX_CHILD") == "wait" {
		os.Stdin.Read(make([]byte, 1)) // until the parent closes it
		return
	}
	os.Exit(m.Run())
}

func TestCPUs(t *testing.T) {
	list := CPUs()
	if len(list) == 0 || !slices.IsSorted(list) || list[0] < 0 {
		t.Fatal(list)
	}
}

func TestPin(t *testing.T) {
	before := CPUs()
	if err := Pin(-1); err == nil {
		t.Error("pinned to processor -1")
	}
	if err := Pin(1 << 20); err == nil {
		t.Error("pinned to processor 1<<20")
	}
	if err := Pin(1023); err == nil {
		t.Error("pinned to processor 1023")
	}
	runtime.LockOSThread() // and never unlocked: the thread ends with the test
	last := before[len(before)-1]
	err := PinThread(last)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("this system cannot pin")
	}
	if err != nil {
		t.Fatal(err)
	}
	if now := CPUs(); !slices.Equal(now, []int{last}) {
		t.Errorf("pinned to %d, may run on %v", last, now)
	}
	if err := PinThread(-1); err == nil {
		t.Error("thread pinned to processor -1")
	}
}

func TestPinProcess(t *testing.T) {
	if os.Getenv("OSX_CHILD") == "" { // in a process of its own, because there is no way back
		cmd := exec.Command(os.Args[0], "-test.run=^TestPinProcess$", "-test.v")
		cmd.Env = append(os.Environ(), "OSX_CHILD=pin")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	last := CPUs()[len(CPUs())-1]
	if err := Pin(last); errors.Is(err, errors.ErrUnsupported) {
		t.Skip("this system cannot pin")
	} else if err != nil {
		t.Fatal(err)
	}
	for range 20 { // whatever thread
		done := make(chan []int)
		go func() {
			runtime.LockOSThread()
			done <- CPUs()
		}()
		if now := <-done; !slices.Equal(now, []int{last}) {
			t.Fatalf("pinned to %d, a thread may run on %v", last, now)
		}
	}
}

func TestPidAlive(t *testing.T) {
	if !PidAlive(os.Getpid()) {
		t.Error("we are dead")
	}
	for _, pid := range []int{0, -1, 1<<31 - 2} {
		if PidAlive(pid) {
			t.Errorf("%d is alive", pid)
		}
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "OSX_CHILD=wait")
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
	if !PidAlive(cmd.Process.Pid) {
		t.Error("a running child is dead")
	}
	in.Close()
	out.Read(make([]byte, 1)) // ends when the child does
	if runtime.GOOS == "linux" {
		for PidAlive(cmd.Process.Pid) { // from closing its files to being a zombie takes a moment
			runtime.Gosched()
		}
	}
	cmd.Wait()
	if PidAlive(cmd.Process.Pid) {
		t.Error("a child that was waited for is alive")
	}
}

func TestRLimits(t *testing.T) {
	l, err := RLimits()
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("this system has no limits")
	}
	if err != nil {
		t.Fatal(err)
	}
	if l.Nofile.Soft == 0 || l.Nofile.Soft > l.Nofile.Hard || l.Memlock.Soft > l.Memlock.Hard {
		t.Errorf("%+v", l)
	}
}

func TestAllocs(t *testing.T) {
	b := make([]byte, 8)
	if n := testing.AllocsPerRun(100, func() {
		SchedYield()
		RaceWriteRange(b)
		RaceWriteRange(nil)
		RaceReadRange(b)
		RaceReadRange(nil)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// An order made by means that the detector does not see is declared; without the two calls this is a report.
func TestRaceOrder(t *testing.T) {
	var x int
	var key [1]byte
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	done := make(chan bool)
	go func() {
		x = 1
		RaceReleaseMerge(unsafe.Pointer(&key))
		RaceRelease(unsafe.Pointer(&key))
		w.Close()
		<-done
	}()
	r.Read(make([]byte, 1))
	RaceAcquire(unsafe.Pointer(&key))
	if x != 1 {
		t.Error(x)
	}
	close(done)
}

// TestProcessTime: it grows by what this process computes, or is not known.
func TestProcessTime(t *testing.T) {
	before := ProcessTime()
	if before < 0 {
		if runtime.GOOS != "windows" {
			t.Error("the system does not tell")
		}
		return
	}
	for deadline := time.Now().Add(30 * time.Second); ProcessTime() == before; {
		if time.Now().After(deadline) {
			t.Fatal("it stands still")
		}
	}
}
