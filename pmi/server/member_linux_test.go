package server_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/gofabric/gofabric/internal/testx/rank"
)

// TestMain is also the program of the jobs: what it does stands in ROLE.
func TestMain(m *testing.M) {
	rank.Perform()
	goleak.VerifyTestMain(m)
}
