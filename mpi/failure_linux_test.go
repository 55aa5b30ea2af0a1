package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gofabric/gofabric/mpi"
)

// die kills this process as it would be killed by somebody else, in the middle of whatever its goroutines do.
func die() {
	syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// dieWithin does so at a random moment.
func dieWithin(d time.Duration) { time.AfterFunc(rand.N(d), die) }

// killed is the life of a rank in TestKilled: rank 1 is killed while all others call everything, then rank 0, which decides
// what is agreed on, in the middle of agreements, then rank 3 while communicators are made.
func killed(ctx context.Context, c *mpi.Comm) error {
	loops := map[string]func(context.Context, *mpi.Comm) error{}
	for name, f := range collectiveCalls {
		if name != "Dup" {
			loops[name] = until(f)
		}
	}
	calls := maps.Clone(calls)
	delete(calls, "Test") // these two keep a processor busy
	delete(calls, "Iprobe")
	cs, err := dups(ctx, c, calls, loops)
	if err != nil {
		return err
	}
	if c.Rank() == 1 {
		dieWithin(50 * time.Millisecond)
		return expect(ctx, mpi.ErrOther, cs, loops)
	}
	var all sync.WaitGroup
	var one, other error
	all.Go(func() { one = expect(ctx, mpi.ErrProcFailed, cs, loops) })
	all.Go(func() { other = expect(ctx, mpi.ErrProcFailed, cs, calls) })
	all.Wait()
	if err := errors.Join(one, other); err != nil {
		return err
	}
	if err := goOn(ctx, c, c.Size()-1); err != nil {
		return err
	}
	said, err := agreements(ctx, c)
	if err != nil {
		return err
	}
	s, err := shrinks(ctx, c)
	if err != nil {
		return err
	}
	both := []uint64{said, said}
	if err := errors.Join(mpi.Allreduce(ctx, s, nil, both[:1], mpi.Min), mpi.Allreduce(ctx, s, nil, both[1:], mpi.Max)); err != nil {
		return err
	}
	if both[0] != both[1] || s.Size() != c.Size()-3 {
		return fmt.Errorf("%d members, of which some say %d and some %d", s.Size(), both[0], both[1])
	}
	fmt.Println("rank", c.Rank(), "is well")
	return nil
}

// agreements agrees on many things, in which rank 0 dies, and makes a number of the results.
func agreements(ctx context.Context, c *mpi.Comm) (uint64, error) {
	if c.Rank() == 0 {
		dieWithin(5 * time.Millisecond)
	}
	var sum uint64
	seen := false
	for i, last := 0, 30; i <= last; i++ {
		c.AckFailed(1)
		got, err := c.Agree(ctx, rand.Uint64()|1<<(i%8))
		switch {
		case err == nil:
		case !errors.Is(err, mpi.ErrProcFailed):
			return 0, err
		default: // all see it in the same one
			got++
			seen = true
		}
		if got&(1<<(i%8)) == 0 && err == nil {
			return 0, fmt.Errorf("agreement %d gives %b", i, got)
		}
		sum = sum*31 + got
		if i == last && !seen {
			last++
		}
	}
	return sum, nil
}

// shrinks makes communicators, while rank 3 dies, until one has come of those who live.
func shrinks(ctx context.Context, c *mpi.Comm) (*mpi.Comm, error) {
	if c.Rank() == 3 {
		dieWithin(20 * time.Millisecond)
	}
	for {
		s, err := c.Shrink(ctx)
		if err != nil || s.Size() == c.Size()-3 {
			return s, err
		}
		if err := s.Barrier(ctx); err != nil && !errors.Is(err, mpi.ErrProcFailed) {
			return nil, err
		}
		if err := s.Close(); err != nil {
			return nil, err
		}
	}
}

func TestKilled(t *testing.T) {
	for _, provider := range []string{"lnx", "tcp"} {
		t.Run(provider, func(t *testing.T) {
			var out output
			began := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			_ = mpi.Launch(ctx, 6, killed, mpi.LaunchTest(t.Name()), mpi.LaunchName(provider), mpi.LaunchKeepGoing(),
				mpi.LaunchInit(mpi.WithProvider(provider)), mpi.LaunchOutput(&out, &out)) // the error is that of who was killed
			got := strings.Split(strings.TrimSpace(out.b.String()), "\n")
			slices.Sort(got)
			if want := []string{"rank 2 is well", "rank 4 is well", "rank 5 is well"}; !slices.Equal(got, want) {
				t.Errorf("after %v got %q, want %q", time.Since(began), got, want)
			}
			t.Log(time.Since(began))
		})
	}
}

// stopped: rank 0 stops rank 1 while all wait for it.
func stopped(ctx context.Context, c *mpi.Comm) error {
	pid := []int{os.Getpid()}
	if err := mpi.Bcast(ctx, c, pid, 1); err != nil {
		return err
	}
	if c.Rank() == 1 {
		if _, err := mpi.Recv(ctx, c, []int{0}, 0, 1); err != nil { // it is stopped in here, or before
			return err
		}
		for r := range c.Size() {
			if err := mpi.Send(ctx, c, []int{7}, r, 2); err != nil {
				return err
			}
		}
		_, err := mpi.Recv(ctx, c, []int{0}, 1, 2)
		return errors.Join(err, c.Barrier(ctx))
	}
	if c.Rank() == 0 {
		if err := syscall.Kill(pid[0], syscall.SIGSTOP); err != nil {
			return err
		}
		for { // a signal takes its time
			stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid[0]))
			if err != nil {
				return err
			}
			if _, state, _ := strings.Cut(string(stat), ") "); strings.HasPrefix(state, "T") {
				break
			}
		}
		time.AfterFunc(1500*time.Millisecond, func() { syscall.Kill(pid[0], syscall.SIGCONT) })
		if err := mpi.Send(ctx, c, []int{1}, 1, 1); err != nil {
			return err
		}
	}
	if _, err := mpi.Recv(ctx, c, []int{0}, 1, 2); err != nil {
		return err
	}
	if failed := c.GetFailed(); len(failed) > 0 {
		return fmt.Errorf("failed: %v", failed)
	}
	return c.Barrier(ctx)
}

// A process that is stopped is slow.
func TestStopped(t *testing.T) {
	for _, provider := range []string{"shm", "tcp"} {
		t.Run(provider, func(t *testing.T) {
			var out output
			err := mpi.Launch(t.Context(), 4, stopped, mpi.LaunchTest(t.Name()), mpi.LaunchName(provider),
				mpi.LaunchInit(mpi.WithProvider(provider)), mpi.LaunchOutput(&out, &out))
			if err != nil {
				t.Error(err, out.b.String())
			}
		})
	}
}
