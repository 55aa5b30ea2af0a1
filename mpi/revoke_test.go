package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/gofabric/gofabric/mpi"
)

// Revoke ends what waits at all members, of this communicator only, and everything later but what repairs it.
func TestRevoke(t *testing.T) {
	waits := map[string]func(ctx context.Context, c *mpi.Comm) error{
		"Recv": func(ctx context.Context, c *mpi.Comm) error {
			_, err := mpi.Recv(ctx, c, []int{0}, 0, 0)
			return err
		},
		"AnySource": func(ctx context.Context, c *mpi.Comm) error {
			_, err := mpi.Recv(ctx, c, []int{0}, mpi.AnySource, mpi.AnyTag)
			return err
		},
		"Ssend": func(ctx context.Context, c *mpi.Comm) error {
			return mpi.Ssend(ctx, c, []int{1}, 0, 0)
		},
		"Send": func(ctx context.Context, c *mpi.Comm) error {
			return mpi.Ssend(ctx, c, make([]int, 1<<20), 0, 0)
		},
		"Probe": func(ctx context.Context, c *mpi.Comm) error {
			_, err := c.Probe(ctx, 0, 0)
			return err
		},
		"Wait": func(ctx context.Context, c *mpi.Comm) error {
			r, err := mpi.Irecv(c, []int{0}, mpi.AnySource, 3)
			if err != nil {
				return err
			}
			<-r.Done()
			_, err = r.Wait(ctx)
			return err
		},
		"Barrier":   func(ctx context.Context, c *mpi.Comm) error { return c.Barrier(ctx) },
		"Allreduce": func(ctx context.Context, c *mpi.Comm) error { return mpi.Allreduce(ctx, c, nil, []int{1}, mpi.Sum) },
	}
	for _, provider := range []string{"mem", "shm", "tcp", "lnx"} {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			run(t, 4, func(ctx context.Context, c *mpi.Comm) error {
				cs, err := dups(ctx, c, waits)
				if err != nil {
					return err
				}
				if c.Rank() == 0 { // it says that it wants to when the others wait, or are about to
					for r := 1; r < c.Size(); r++ {
						if _, err := mpi.Recv(ctx, c, []int{0}, r, 7); err != nil {
							return err
						}
					}
					for _, d := range cs {
						if err := errors.Join(d.Revoke(), d.Revoke()); err != nil {
							return err
						}
					}
				} else if err := mpi.Send(ctx, c, []int{1}, 0, 7); err != nil {
					return err
				}
				if err := expect(ctx, mpi.ErrRevoked, cs, waits); err != nil {
					return err
				}
				d := cs["Recv"]
				if !d.IsRevoked() || c.IsRevoked() || len(d.GetFailed()) > 0 {
					return fmt.Errorf("revoked: %v and %v, failed %v", d.IsRevoked(), c.IsRevoked(), d.GetFailed())
				}
				if err := mpi.Send(ctx, d, []int{1}, 0, 0); !errors.Is(err, mpi.ErrRevoked) {
					return fmt.Errorf("a send: %w", err)
				}
				if flag, err := d.Agree(ctx, 6>>c.Rank()|8); err != nil || flag != 8 {
					return fmt.Errorf("agreed on %d: %w", flag, err)
				}
				return errors.Join(goOn(ctx, d, 4), d.Close(), c.Barrier(ctx))
			}, mpi.WithProvider(provider))
		})
	}
}

// The world may be revoked, and is closed all the same.
func TestRevokeWorld(t *testing.T) {
	run(t, 3, func(ctx context.Context, c *mpi.Comm) error {
		if c.Rank() == 1 {
			return c.Revoke()
		}
		if err := c.Barrier(ctx); !errors.Is(err, mpi.ErrRevoked) {
			return fmt.Errorf("Barrier: %w", err)
		}
		return nil
	})
}

// An agreement that its context has ended goes on.
func TestAgreeLater(t *testing.T) {
	run(t, 3, func(ctx context.Context, c *mpi.Comm) error {
		if c.Rank() == 0 {
			short, cancel := context.WithCancel(ctx)
			cancel()
			if _, err := c.Agree(short, 1); !errors.Is(err, mpi.ErrPending) || !errors.Is(err, context.Canceled) {
				return fmt.Errorf("Agree: %w", err)
			}
			if err := mpi.Send(ctx, c, []int{1}, 1, 0); err != nil {
				return err
			}
		} else if c.Rank() == 1 {
			if _, err := mpi.Recv(ctx, c, []int{0}, 0, 0); err != nil {
				return err
			}
		}
		mine := uint64(3)
		if c.Rank() == 0 {
			mine = 2 // does not count: 1 was said before
		}
		for i := range 20 {
			want := uint64(3)
			if i == 0 {
				want = 1
			}
			got, err := c.Agree(ctx, mine)
			if err != nil || got != want {
				return fmt.Errorf("agreement %d: %d, %w", i, got, err)
			}
			mine = 3
		}
		return nil
	})
}

// An intercommunicator is revoked in both of its groups, with what its collective operations go through.
func TestRevokeInter(t *testing.T) {
	run(t, 4, func(ctx context.Context, c *mpi.Comm) error {
		half, err := c.Split(ctx, c.Rank()%2, c.Rank())
		if err != nil {
			return err
		}
		both, err := mpi.IntercommCreate(ctx, half, 0, c, 1-c.Rank()%2, 1)
		if err != nil {
			return err
		}
		if c.Rank() == 3 {
			if err := both.Revoke(); err != nil {
				return err
			}
		} else if err := both.Barrier(ctx); !errors.Is(err, mpi.ErrRevoked) {
			return fmt.Errorf("rank %d: %w", c.Rank(), err)
		}
		if _, err := both.Shrink(ctx); !errors.Is(err, mpi.ErrComm) {
			return fmt.Errorf("Shrink: %w", err)
		}
		if flag, err := both.Agree(ctx, 1<<c.Rank()|16); err != nil || flag != 16 {
			return fmt.Errorf("agreed on %d: %w", flag, err)
		}
		return errors.Join(half.Barrier(ctx), c.Barrier(ctx))
	})
}
