package local_test

import (
	"context"
	"errors"
	"testing"

	"github.com/gofabric/gofabric/mpi"
	"github.com/gofabric/gofabric/mpi/local"
)

func TestRunWithoutRanks(t *testing.T) {
	err := local.Run(t.Context(), 0, func(context.Context, *mpi.Comm) error {
		t.Error("there is a rank")
		return nil
	})
	var e *mpi.Error
	if !errors.As(err, &e) || e.Class != mpi.ErrArg || e.Hint == "" {
		t.Errorf("got %v, want ErrArg with an explanation", err)
	}
}
