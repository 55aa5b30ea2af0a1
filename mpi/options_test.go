package mpi_test

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"testing"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/mpi"
)

// What the fabric logs comes to who has asked for it.
func TestWithFabric(t *testing.T) {
	var lines bytes.Buffer
	log := slog.NewTextHandler(&lines, &slog.HandlerOptions{Level: slog.LevelDebug})
	run(t, 1, func(context.Context, *mpi.Comm) error { return nil }, mpi.WithFabric(fabric.WithSlog(log)))
	if !bytes.Contains(lines.Bytes(), []byte("mem")) {
		t.Errorf("logged: %q", lines.String())
	}
}

func TestProcessorName(t *testing.T) {
	if name, err := os.Hostname(); err == nil && mpi.ProcessorName() != name {
		t.Errorf("%q, want %q", mpi.ProcessorName(), name)
	}
}
