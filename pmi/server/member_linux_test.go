package server_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/gofabric/gofabric/internal/testx/rank"
)

// TestMain is also the program of the jobs: what it does stands in ROLE.
func TestMain(m *testing.M) {
	if role := os.Getenv("ROLE"); role != "" {
		if err := rank.Play(role); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}
