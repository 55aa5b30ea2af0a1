package main

import (
	"context"

	"github.com/gofabric/gofabric/mpi"
)

// sum adds the ranks' figures.
func (e *env) sum(ctx context.Context, mine float64) (float64, error) {
	return e.reduce(ctx, mine, mpi.Sum)
}

// mean is that of the figures of the ranks that count.
func (e *env) mean(ctx context.Context, mine float64, counts bool) (float64, error) {
	v := []float64{mine, 1}
	if !counts {
		v[0], v[1] = 0, 0
	}
	if err := mpi.Allreduce(ctx, e.c, nil, v, mpi.Sum); err != nil {
		return 0, err
	}
	return v[0] / v[1], nil
}

func (e *env) reduce(ctx context.Context, mine float64, op mpi.Op) (float64, error) {
	v := []float64{mine}
	err := mpi.Allreduce(ctx, e.c, nil, v, op)
	return v[0], err
}
