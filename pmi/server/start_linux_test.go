package server_test

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofabric/gofabric/internal/testx/rank"
	"github.com/gofabric/gofabric/pmi/server"
)

// log is a writer of several processes.
type log struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// cast makes n processes with a role.
func cast(n int, role string, out *log) server.Spec {
	self, _ := os.Executable()
	var s server.Spec
	for range n {
		s.Procs = append(s.Procs, server.Proc{Path: self, Env: append(os.Environ(), "ROLE="+role, "GORACE=atexit_sleep_ms=0"), Stdout: out, Stderr: out})
	}
	return s
}

// perform runs a spec to its end.
func perform(t *testing.T, s server.Spec) (int, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	job, err := server.Start(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	return job.Wait()
}

func TestJob(t *testing.T) {
	for _, port := range []bool{false, true} {
		var out log
		s := cast(8, "join trade=3 trade=4000 leave who", &out)
		s.Port, s.ID = port, "some_job"
		if status, err := perform(t, s); status != 0 || err != nil {
			t.Errorf("port %v: status %d, %v\n%s", port, status, err, out.String())
		}
		if !strings.Contains(out.String(), "5 8 some_job 0 8 [0 0 0 0 0 0 0 0]\n") {
			t.Errorf("port %v: ranks say\n%s", port, out.String())
		}
	}
}

func TestSixteenStartFast(t *testing.T) {
	var out log
	begin := time.Now()
	status, err := perform(t, cast(16, "join trade=100 fence leave", &out))
	if took := time.Since(begin); status != 0 || err != nil {
		t.Errorf("status %d, %v after %v\n%s", status, err, took, out.String())
	} else {
		t.Log(took)
	}
}

func TestEnds(t *testing.T) {
	for _, c := range []struct {
		name, role string
		keep       bool
		status     int
		text       string
	}{
		{name: "in order", role: "say=hello"},
		{name: "status", role: "join 2:exit=7 fence", status: 7, text: "rank 2 ended with status 7"},
		{name: "no member fails", role: "1:exit=3 hang", status: 3, text: "rank 1 ended with status 3"},
		{name: "signal", role: "join 0:kill=9 fence", status: 137, text: "rank 0 was killed by signal 9 (killed)"},
		{name: "abort", role: "join 1:abort=5 fence", status: 5, text: "rank 1 ended the job (abort) with status 5"},
		{name: "abort, kept going", role: "join 1:abort=5 hang", keep: true, status: 5, text: "rank 1 ended the job"},
		{name: "no finalize", role: "join trade=1 1:exit=0 leave", status: 1, text: "rank 1 ended with status 0 without leaving the job"},
		{name: "kept going", role: "join 0:exit=9 fence fence leave say=well", keep: true, status: 9, text: "rank 0 ended with status 9"},
		{name: "deaf", role: "join deaf 1:exit=4 hang", status: 4, text: "rank 1"},
		{name: "child", role: "child"},
		{name: "child of one that is killed", role: "child 1:exit=2 hang", status: 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var out log
			s := cast(3, c.role, &out)
			s.KeepGoing, s.Grace = c.keep, 100*time.Millisecond
			status, err := perform(t, s)
			var f *server.Failure
			if status != c.status || (err != nil) != (c.status != 0) || err != nil && (!errors.As(err, &f) || !strings.Contains(f.Text, c.text)) {
				t.Errorf("status %d, %v; want %d, %s\n%s", status, err, c.status, c.text, out.String())
			}
			if c.name == "kept going" && strings.Count(out.String(), "well") != 2 {
				t.Errorf("survivors did not go on:\n%s", out.String())
			}
			for line := range strings.Lines(out.String()) {
				if pid, ok := strings.CutPrefix(line, "child "); ok && !rank.Gone(strings.TrimSpace(pid)) {
					t.Errorf("process %s is left behind", pid)
				}
			}
		})
	}
}

func TestContextEndsJob(t *testing.T) {
	var out log
	ctx, cancel := context.WithCancelCause(t.Context())
	job, err := server.Start(ctx, cast(2, "join hang", &out))
	if err != nil {
		t.Fatal(err)
	}
	cancel(errors.New("enough"))
	if status, err := job.Wait(); status != 1 || err == nil || !strings.Contains(err.Error(), "enough") {
		t.Errorf("status %d, %v", status, err)
	}
}

func TestBadSpecs(t *testing.T) {
	self, _ := os.Executable()
	one := server.Proc{Path: self}
	for name, s := range map[string]server.Spec{
		"empty":     {},
		"no path":   {Procs: []server.Proc{{}}},
		"no file":   {Procs: []server.Proc{one, {Path: "/no/such/program"}}},
		"no folder": {Procs: []server.Proc{{Path: self, Dir: "/no/such/folder"}}},
		"part":      {Procs: []server.Proc{one}, Size: 2},
		"twice":     {Procs: []server.Proc{one, one}, Size: 2},
		"too far":   {Procs: []server.Proc{{Path: self, Rank: 9}}, Size: 1},
	} {
		if job, err := server.Start(t.Context(), s); err == nil {
			job.Stop(1, "test")
			job.Wait()
			t.Errorf("%s: started", name)
		}
	}
}

func TestInput(t *testing.T) {
	var out log
	s := cast(2, "0:echo say=done", &out)
	s.Procs[0].Stdin = strings.NewReader("what rank 0 reads\n")
	status, err := perform(t, s)
	if status != 0 || !strings.Contains(out.String(), "what rank 0 reads\n") {
		t.Errorf("%d, %v\n%s", status, err, out.String())
	}
}

// TestParts brings two parts of a job together, as a launcher of several hosts does.
func TestParts(t *testing.T) {
	var out log
	var mu sync.Mutex
	var jobs [2]*server.Job
	all := map[string]string{}
	arrived := 0
	ready := make(chan struct{})
	part := func(int) func(map[string]string) {
		return func(puts map[string]string) {
			<-ready
			mu.Lock()
			defer mu.Unlock()
			maps.Copy(all, puts)
			if arrived++; arrived == 2 {
				arrived = 0
				for _, j := range jobs {
					j.Release(all)
				}
			}
		}
	}
	for i := range jobs {
		s := cast(2, "join trade=900 trade=10 who leave", &out)
		s.Size, s.ID, s.Mapping, s.Exchange = 4, "parts", server.Mapping([]int{0, 1, 0, 1}), part(i)
		s.Procs[0].Rank, s.Procs[1].Rank = i, i+2
		var err error
		if jobs[i], err = server.Start(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	close(ready)
	for _, j := range jobs {
		if status, err := j.Wait(); status != 0 {
			t.Errorf("status %d, %v\n%s", status, err, out.String())
		}
	}
	if !strings.Contains(out.String(), "3 4 parts 0 4 [0 1 0 1]\n") {
		t.Errorf("ranks say\n%s", out.String())
	}
}

func TestEnvironmentOfAnOuterLauncher(t *testing.T) {
	var out log
	s := cast(1, "env=PMI_PORT env=MPI_LOCALNRANKS join leave", &out)
	s.Procs[0].Env = append(s.Procs[0].Env, "PMI_PORT=nowhere:1", "MPI_LOCALNRANKS=77")
	if status, err := perform(t, s); status != 0 || out.String() != "\n1\n" {
		t.Errorf("status %d, %v\n%q", status, err, out.String())
	}
}

// TestNothingIsKept runs jobs of all kinds of ends, and counts descriptors.
func TestNothingIsKept(t *testing.T) {
	count := func() int {
		d, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(d)
	}
	round := func() {
		for _, role := range []string{"join fence leave", "join 0:exit=1 fence", "0:kill=9 say=x"} {
			for _, port := range []bool{false, true} {
				var out log
				s := cast(2, role, &out)
				s.Port, s.Procs[0].Stdin = port, strings.NewReader("text")
				perform(t, s)
			}
		}
		var out log
		s := cast(2, "join", &out)
		s.Procs[1].Path = "/no/such/program"
		if _, err := server.Start(t.Context(), s); err == nil {
			t.Error("started")
		}
	}
	round()
	before := count()
	round()
	for range 1000 {
		if count() <= before {
			return
		}
		time.Sleep(time.Millisecond) // sleep: the end of a port's last connection is nobody's to wait for
	}
	t.Errorf("%d descriptors, before %d", count(), before)
}
