package perfrun

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

// TestMain is also each program of others, under its name: fakes that meet as the real ones do.
func TestMain(m *testing.M) {
	switch name := filepath.Base(os.Args[0]); name {
	case "fi_info":
		fmt.Println("fi_info: 1.17.0\nlibfabric: 1.17.0")
	case "fi_pingpong":
		os.Exit(fakePair("-B", "-P", "bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec\n"+
			"8       10      =10      160         0.00s      1.00       2.50       0.40\n"))
	case "ucx_perftest":
		os.Exit(fakePair("-p", "-p", "Final:                  10      1.000     2.000     3.000      1.00      1.00      400000      500000\n"))
	case "mpicc.openmpi", "mpicc":
		os.Exit(fakeCompiler())
	case "mpirun.openmpi", "mpirun":
		fmt.Printf("S 8 10 4.5 4.0\nL 8%s\n", strings.Repeat(" 4500", 100))
	default:
		goleak.VerifyTestMain(m)
	}
}

// fakePair is a server at the port of one option, or with an operand at the end a client of the other's, which prints.
func fakePair(server, client, prints string) int {
	args := os.Args[1:]
	if fault := os.Getenv("FAKE_FAULT"); fault != "" {
		fmt.Fprintln(os.Stderr, fault)
		return 3
	}
	if args[len(args)-1] != "127.0.0.1" {
		l, err := net.Listen("tcp", ":"+args[slices.Index(args, server)+1])
		if err != nil {
			return 1
		}
		c, err := l.Accept()
		if err != nil {
			return 1
		}
		c.Close()
		return 0
	}
	c, err := net.Dial("tcp", "127.0.0.1:"+args[slices.Index(args, client)+1])
	if err != nil {
		return 1
	}
	c.Close()
	fmt.Print(prints)
	return 0
}

// fakeCompiler knows whose it is, and writes what it was asked for.
func fakeCompiler() int {
	args := os.Args[1:]
	if slices.Equal(args, []string{"--showme:version"}) {
		fmt.Println("mpicc: Open MPI 4")
		return 0
	}
	i := slices.Index(args, "-o")
	if i < 0 || os.WriteFile(args[i+1], nil, 0o700) != nil {
		fmt.Fprintln(os.Stderr, "mpi.c:1: no mpi.h\nand more")
		return 1
	}
	return 0
}

// fakes makes a folder with programs, which is all of PATH.
func fakes(t *testing.T, names ...string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for _, n := range names {
		if err := os.Symlink(self, filepath.Join(folder, n)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", folder)
	t.Setenv("TMPDIR", t.TempDir())
	return folder
}

// TestPeers runs a sweep beside fakes of all programs that may be installed.
func TestPeers(t *testing.T) {
	fakes(t, "fi_info", "fi_pingpong", "ucx_perftest", "mpicc.openmpi", "mpirun.openmpi")
	var o told
	s := &Sweep{Plan: Plan{Scenarios: []string{"rdm_tagged_pingpong", "rdm_tagged_bw"}, Providers: []string{"shm", "mem"}, Sizes: []int{8}, Repeat: 1,
		Peers: Peers, Limit: time.Minute, CPUs: []int{0, 0}}, Ours: o.run, MPI: []byte("a program")}
	r, err := s.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, c := range r.Curves {
		if p := c.Points[0]; len(p.Runs) > 0 && c.Program != Ours {
			got[c.Program+" "+c.Scenario+" "+c.Provider] = p.Best().MicrosPerXfer()
			if c.Program == "openmpi" && Latency(c.Scenario) && p.Latencies.Count() != 100 {
				t.Errorf("%d latencies", p.Latencies.Count())
			}
		}
	}
	want := map[string]float64{"fi_pingpong rdm_tagged_pingpong shm": 2.5, "ucx_perftest rdm_tagged_pingpong shm": 3,
		"ucx_perftest rdm_tagged_bw shm": 2, "openmpi rdm_tagged_pingpong shm": 4.5, "openmpi rdm_tagged_bw shm": 4.5}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s%q", d, r.Notes)
	}
	note := "mpich: not measured, there is no mpicc of it here: apt-get install mpich libmpich-dev"
	if !slices.Equal(others(r.Notes), []string{note}) {
		t.Errorf("%q", r.Notes)
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestOtherNames finds an MPI whose compiler is called mpicc, by what it says of itself, and a libfabric whose tcp is net.
func TestOtherNames(t *testing.T) {
	folder := fakes(t, "mpicc", "mpirun", "fi_info", "fi_pingpong")
	if cc, run := mpiTools(context.Background(), "openmpi"); cc != filepath.Join(folder, "mpicc") || run != filepath.Join(folder, "mpirun") {
		t.Errorf("%q %q", cc, run)
	}
	if cc, _ := mpiTools(context.Background(), "mpich"); cc != "" {
		t.Errorf("%s is Open MPI's", cc)
	}
	p, err := findPingPong(context.Background())
	if err != nil || p.(*pingPong).tcp != "net" {
		t.Errorf("%+v, %v", p, err)
	}
	if !p.measures("msg_pingpong", "tcp") || p.measures("msg_pingpong", "shm") || p.measures("rdm_bw", "tcp") || p.measures("rdm_pingpong", "mem") {
		t.Error("fi_pingpong for something else")
	}
}

// TestPeersMissing names every program that is not installed, with its package.
func TestPeersMissing(t *testing.T) {
	fakes(t)
	found, notes, cleanup := findPeers(context.Background(), Peers, nil)
	defer cleanup()
	if len(found) > 0 || len(notes) != len(Peers) {
		t.Fatalf("%v %q", found, notes)
	}
	for i, name := range Peers {
		if !strings.HasPrefix(notes[i], name+": ") || !strings.HasSuffix(notes[i], "apt-get install "+packages[name]) {
			t.Errorf("%q", notes[i])
		}
	}
}

// TestPeerFails: a program that fails, or an MPI that compiles nothing, is a note with what it said.
func TestPeerFails(t *testing.T) {
	folder := fakes(t, "ucx_perftest", "mpicc.openmpi", "mpirun.openmpi")
	t.Setenv("FAKE_FAULT", "no such transport")
	if err := os.Remove(filepath.Join(folder, "mpicc.openmpi")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "mpicc.openmpi"), []byte("#!/bin/sh\necho mpi.c:1: no mpi.h >&2\necho more >&2\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	var o told
	s := &Sweep{Plan: Plan{Scenarios: []string{"rdm_tagged_bw"}, Providers: []string{"shm"}, Sizes: []int{8}, Repeat: 2, Peers: []string{"ucx_perftest", "openmpi"},
		Limit: time.Minute}, Ours: o.run}
	r, err := s.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"openmpi: mpicc.openmpi: exit status 1: mpi.c:1: no mpi.h",
		"ucx_perftest, rdm_tagged_bw, shm: it failed: exit status 3: no such transport"}
	if !slices.Equal(others(r.Notes), want) {
		t.Errorf("%q\nwant %q", r.Notes, want)
	}
}

// TestPeerLate ends a program that hangs, and what it has started, when its time is over.
func TestPeerLate(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	out := filepath.Join(t.TempDir(), "pid")
	ended := make(chan error)
	go func() {
		_, err := alone(ctx, nil, []string{"/bin/sh", "-c", "sleep 1000 & echo $! > " + out + ".new; mv " + out + ".new " + out + "; wait"})
		ended <- err
	}()
	var pid []byte
	for deadline := time.Now().Add(patience); ; {
		var err error
		if pid, err = os.ReadFile(out); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("it does not start")
		}
	}
	cancel()
	if err := <-ended; err != context.Canceled {
		t.Errorf("%v", err)
	}
	stat := "/proc/" + strings.TrimSpace(string(pid)) + "/stat"
	for deadline := time.Now().Add(patience); ; {
		b, err := os.ReadFile(stat)
		if err != nil || strings.Contains(string(b), ") Z ") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("what it started lives on")
		}
	}
}

// patience is how long a process may take on a busy machine.
const patience = 30 * time.Second

// TestListening sees a port at which somebody listens, and none where nobody does.
func TestListening(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	if !listening(port) {
		t.Error("it does not see who listens")
	}
	l.Close()
	if listening(port) {
		t.Error("it sees somebody who is gone")
	}
}

// TestMPIOverTCP: Open MPI's one-sided access within a host is shared memory whatever one asks for.
func TestMPIOverTCP(t *testing.T) {
	open, mpich := &mpi{library: "openmpi"}, &mpi{library: "mpich"}
	if open.measures("rma_bw", "tcp") || mpich.measures("rdm_tagged_bw", "tcp") || !open.measures("rma_bw", "shm") || open.measures("rdm_bw", "shm") {
		t.Error("a figure of something else")
	}
}
