package pmi

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/freeport"
	"github.com/gofabric/gofabric/pmi/internal/wire"
	"github.com/gofabric/gofabric/pmi/server"
)

// env makes a look-up from pairs.
func env(pairs ...string) func(string) (string, bool) {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(name string) (string, bool) { v, ok := m[name]; return v, ok }
}

// port serves a job of n on a port until the test ends.
func port(t *testing.T, n int, token string) string {
	t.Helper()
	space, err := server.NewSpace(server.SpaceConfig{Size: n, ID: "job_1", Universe: n + 3, Mapping: "(vector,(0,2,1))"})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		space.ServePort(ln, token)
	}()
	t.Cleanup(func() { ln.Close(); <-done })
	return ln.Addr().String()
}

// members joins a job of n.
func members(t *testing.T, n int) []*Job {
	t.Helper()
	addr := port(t, n, "secret")
	var jobs []*Job
	for rank := range n {
		j, err := join(t.Context(), env("PMI_PORT", addr, "PMI_ID", strconv.Itoa(rank), "FI_PMI_TOKEN", "secret"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := j.Close(); err != nil {
				t.Error(err)
			}
		})
		jobs = append(jobs, j)
	}
	return jobs
}

func TestPort(t *testing.T) {
	jobs := members(t, 4)
	if err := everyone(jobs, func(j *Job) error { return trade(t.Context(), j, 300) }); err != nil {
		t.Error(err)
	}
	if j := jobs[3]; j.Rank() != 3 || j.Size() != 4 || j.ID() != "job_1" || j.UniverseSize() != 7 || fmt.Sprint(j.Nodes()) != "[0 1 0 1]" || j.AppNum() != 0 {
		t.Errorf("%d %d %s %d %v %d", j.Rank(), j.Size(), j.ID(), j.UniverseSize(), j.Nodes(), j.AppNum())
	}
}

func TestPortFenceLeftByContext(t *testing.T) { fenceLeft(t, members(t, 2)) }

// TestCloseInFence: a member that left its fence by a context can still leave the job.
func TestCloseInFence(t *testing.T) {
	jobs := members(t, 2)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := jobs[0].Fence(ctx); err == nil {
		t.Fatal("the fence ended")
	}
	if err := jobs[0].Close(); err != nil {
		t.Error(err)
	}
}

func TestTokenAndRank(t *testing.T) {
	addr := port(t, 2, "secret")
	first, err := join(t.Context(), env("PMI_PORT", addr, "PMI_ID", "0", "FI_PMI_TOKEN", "secret"))
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	for name, e := range map[string]func(string) (string, bool){
		"no token":    env("PMI_PORT", addr, "PMI_ID", "1"),
		"wrong token": env("PMI_PORT", addr, "PMI_ID", "1", "FI_PMI_TOKEN", "secreT"),
		"taken":       env("PMI_PORT", addr, "PMI_ID", "0", "FI_PMI_TOKEN", "secret"),
		"no rank":     env("PMI_PORT", addr, "PMI_ID", "2", "FI_PMI_TOKEN", "secret"),
	} {
		if j, err := join(t.Context(), e); err == nil {
			j.Close()
			t.Errorf("%s: joined", name)
		}
	}
}

func TestBadEnvironments(t *testing.T) {
	for _, c := range []struct {
		want string
		env  func(string) (string, bool)
	}{
		{"PMI_FD", env("PMI_FD", "x", "PMI_RANK", "0", "PMI_SIZE", "1")},
		{"PMI_SIZE", env("PMI_FD", "3", "PMI_RANK", "0")},
		{"PMI_RANK", env("PMI_FD", "3", "PMI_RANK", "2", "PMI_SIZE", "2")},
		{"PMI_ID", env("PMI_PORT", "127.0.0.1:1")},
		{"does not answer", env("PMI_PORT", "127.0.0.1:1", "PMI_ID", "0")},
		{"FI_PMI_VERSION", env("FI_PMI_VERSION", "3")},
		{"mpiexec.hydra", env("OMPI_COMM_WORLD_SIZE", "2", "OMPI_COMM_WORLD_RANK", "0")},
		{"mpiexec.hydra", env("PMIX_RANK", "0", "PMIX_NAMESPACE", "x", "SLURM_STEP_NUM_TASKS", "2")},
		{"--mpi=pmi2", env("SLURM_PROCID", "0", "SLURM_STEP_ID", "0", "SLURM_STEP_NUM_TASKS", "2")},
		{"HOST:PORT", env("FI_PMI_RENDEZVOUS", "nonsense", "SLURM_PROCID", "0", "SLURM_STEP_NUM_TASKS", "2")},
		{"SLURM_STEP_NUM_TASKS", env("FI_PMI_RENDEZVOUS", "127.0.0.1:1")},
	} {
		j, err := join(t.Context(), c.env)
		if err == nil {
			j.Close()
			t.Errorf("joined; want an error with %s", c.want)
		} else if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v; want %s in it", err, c.want)
		}
	}
}

func TestAlone(t *testing.T) {
	for _, e := range []func(string) (string, bool){env(), env("OMPI_COMM_WORLD_SIZE", "1", "PMIX_RANK", "0", "PMIX_NAMESPACE", "n"),
		env("SLURM_STEP_NUM_TASKS", "1", "SLURM_PROCID", "0", "SLURM_STEP_ID", "0", "FI_PMI_RENDEZVOUS", "127.0.0.1:1"), env("SLURM_PROCID", "0")} {
		j, err := join(t.Context(), e)
		if err != nil {
			t.Error(err)
			continue
		}
		if j.Size() != 1 || j.Rank() != 0 || j.ID() == "" {
			t.Errorf("%d of %d, %q", j.Rank(), j.Size(), j.ID())
		}
		if err := trade(t.Context(), j, 10); err != nil {
			t.Error(err)
		}
		j.Close()
	}
}

func TestRendezvous(t *testing.T) {
	for name, vars := range map[string]func(rank string) []string{
		"slurm": func(r string) []string {
			return []string{"SLURM_PROCID", r, "SLURM_STEP_NUM_TASKS", "3", "SLURM_JOB_ID", "7", "SLURM_STEP_ID", "0"}
		},
		"open mpi": func(r string) []string {
			return []string{"OMPI_COMM_WORLD_RANK", r, "OMPI_COMM_WORLD_SIZE", "3", "PMIX_NAMESPACE", "prte@h/1", "PMIX_RANK", r}
		},
	} {
		addr := "127.0.0.1:" + freeport.Find() + "/my secret"
		jobs := make([]*Job, 3)
		errs := make([]error, 3)
		var all sync.WaitGroup
		for rank := range jobs {
			all.Go(func() {
				e := append(vars(strconv.Itoa(rank)), "FI_PMI_RENDEZVOUS", addr)
				jobs[rank], errs[rank] = join(t.Context(), env(e...))
			})
		}
		all.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(name, err)
		}
		if err := everyone(jobs, func(j *Job) error { return trade(t.Context(), j, 40) }); err != nil {
			t.Error(name, err)
		}
		if err := everyone(jobs, (*Job).Close); err != nil {
			t.Error(name, err)
		}
	}
}

// TestRendezvousWithoutHost: who waits for rank 0 stops with its context.
func TestRendezvousWithoutHost(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := join(ctx, env("FI_PMI_RENDEZVOUS", "127.0.0.1:"+freeport.Find(), "SLURM_PROCID", "1", "SLURM_STEP_NUM_TASKS", "2"))
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// liar is a launcher that answers as told: lines of requests it reads, whole answers it writes.
func liar(t *testing.T, answers ...string) *client {
	near, far := net.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer far.Close()
		r := bufio.NewReader(far)
		for _, a := range answers {
			if _, err := r.ReadString('\n'); err != nil {
				return
			}
			if _, err := far.Write([]byte(a)); err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() { near.Close(); <-done })
	return newWire(near, 0, 2)
}

func TestLyingLaunchers(t *testing.T) {
	start := []string{"cmd=response_to_init rc=0\n"}
	for name, answers := range map[string][]string{
		"refused":     {"cmd=response_to_init rc=-1\n"},
		"other":       {"cmd=maxes\n"},
		"noise":       {"hello\n"},
		"end":         {},
		"no name":     append(start, "cmd=my_kvsname\n"),
		"long answer": {strings.Repeat("x", wire.MaxMessage+10)},
	} {
		if _, err := liar(t, answers...).join1(t.Context()); err == nil || !strings.Contains(err.Error(), "pmi: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFailedPut: an answer with another rc is an error, and the wire goes on.
func TestFailedPut(t *testing.T) {
	c := &client1{liar(t, "cmd=put_result rc=-1 msg=full\n", "cmd=put_result rc=0\n")}
	if err := c.put(t.Context(), []pair{{"a", "b"}}); !errors.Is(err, fi.ErrRemoteIO) || !strings.Contains(err.Error(), "full") {
		t.Errorf("got %v", err)
	}
	if err := c.put(t.Context(), []pair{{"a", "b"}}); err != nil {
		t.Error(err)
	}
}
