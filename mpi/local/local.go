package local

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/gofabric/gofabric/mpi"
	"github.com/gofabric/gofabric/pmi"
	_ "github.com/gofabric/gofabric/providers/mem" // what ranks of one process talk over
)

// Run runs f as n ranks, and returns when all have ended. When one fails, the context of the others ends. The error is
// what the ranks returned, each with its rank; ErrArg for n.
//
// Options are those of mpi.Init; without a provider among them it is mem.
func Run(ctx context.Context, n int, f func(ctx context.Context, world *mpi.Comm) error, opts ...mpi.Option) error {
	if n < 1 {
		return &mpi.Error{Op: "local.Run", Class: mpi.ErrArg, Rank: mpi.NoRank, Hint: fmt.Sprintf("%d ranks: give 1 at least", n)}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make([]error, n)
	var all sync.WaitGroup
	for rank, member := range pmi.NewLocal(n) {
		all.Go(func() {
			if err := run(ctx, member, f, opts); err != nil {
				errs[rank] = fmt.Errorf("rank %d: %w", rank, err)
				cancel()
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

func run(ctx context.Context, member *pmi.Job, f func(context.Context, *mpi.Comm) error, opts []mpi.Option) error {
	world, err := mpi.Init(ctx, append([]mpi.Option{mpi.WithProvider("mem"), mpi.WithJob(member)}, opts...)...)
	if err != nil {
		return err
	}
	if err := f(ctx, world); err != nil {
		return errors.Join(err, world.Leave())
	}
	return world.Close()
}
