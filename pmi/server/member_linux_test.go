package server_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

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

// gone waits until a process that was killed has ended, as a zombie at least.
func gone(pid string) bool {
	for range 1000 {
		b, err := os.ReadFile("/proc/" + pid + "/stat")
		if err != nil || strings.Contains(string(b), ") Z ") {
			return true
		}
		time.Sleep(5 * time.Millisecond) // sleep: nobody tells of the end of a process that is not a child
	}
	return false
}
