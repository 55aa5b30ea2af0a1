package mpi_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gofabric/gofabric/mpi"
)

// output collects what processes write.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

// ring sends each rank's number round and prints what came.
func ring(ctx context.Context, c *mpi.Comm) error {
	for _, n := range []int{1, 200_000} {
		buf := make([]int, n)
		buf[n-1] = c.Rank()
		right, left := (c.Rank()+1)%c.Size(), (c.Rank()+c.Size()-1)%c.Size()
		if _, err := mpi.SendRecvReplace(ctx, c, buf, right, 0, left, 0); err != nil {
			return err
		}
		fmt.Printf("%d has %d by %s\n", c.Rank(), buf[n-1], c.Provider())
	}
	return nil
}

func TestLaunch(t *testing.T) {
	for _, provider := range []string{"shm", "tcp"} {
		t.Run(provider, func(t *testing.T) {
			var out output
			err := mpi.Launch(t.Context(), 4, ring, mpi.LaunchTest(t.Name()), mpi.LaunchName(provider),
				mpi.LaunchInit(mpi.WithProvider(provider)), mpi.LaunchOutput(&out, &out))
			if err != nil {
				t.Fatal(err, out.b.String())
			}
			got := strings.Split(strings.TrimSpace(out.b.String()), "\n")
			slices.Sort(got)
			var want []string
			for r := range 4 {
				line := fmt.Sprintf("%d has %d by %s", r, (r+3)%4, provider)
				want = append(want, line, line)
			}
			if !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestLaunchEnv(t *testing.T) {
	err := mpi.Launch(t.Context(), 2, func(context.Context, *mpi.Comm) error {
		if v := os.Getenv("GREETING"); v != "hello" {
			return fmt.Errorf("GREETING is %q", v)
		}
		return nil
	}, mpi.LaunchTest(t.Name()), mpi.LaunchEnv("GREETING=hello"))
	if err != nil {
		t.Error(err)
	}
}

func TestLaunchFails(t *testing.T) {
	var out output
	err := mpi.Launch(t.Context(), 3, func(ctx context.Context, c *mpi.Comm) error {
		if c.Rank() == 1 {
			return errors.New("no luck")
		}
		_, err := mpi.Recv(ctx, c, []int{0}, 1, 0)
		return err
	}, mpi.LaunchTest(t.Name()), mpi.LaunchOutput(&out, &out))
	if err == nil || !strings.Contains(out.b.String(), "rank 1: no luck") {
		t.Errorf("error %v, output %q", err, out.b.String())
	}
	if err := mpi.Launch(t.Context(), 0, ring, mpi.LaunchTest(t.Name())); !errors.Is(err, mpi.ErrArg) {
		t.Errorf("no ranks: %v", err)
	}
}
