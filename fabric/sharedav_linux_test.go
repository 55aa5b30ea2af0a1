package fabric

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/gofabric/gofabric/fi"
)

// TestUnshared: each way in which a shared vector is not to be had has a number and words of its own.
func TestUnshared(t *testing.T) {
	for _, c := range []struct {
		err  error
		want fi.Errno
		says string
	}{
		{syscall.EADDRINUSE, fi.ErrExist, "fi.AVRead"},
		{syscall.ECONNREFUSED, fi.ErrNoEnt, "ranks"},
		{syscall.EMFILE, fi.ErrMFile, ""},
		{errors.Join(context.DeadlineExceeded, os.ErrDeadlineExceeded), fi.ErrTimedOut, "SIGCONT"},
		{errors.New("no vector of ours"), fi.ErrOther, ""},
	} {
		err, hint := unshared(fmt.Errorf("avshare: %w", c.err), "ranks")
		if !errors.Is(err, c.want) || !strings.Contains(hint, c.says) {
			t.Errorf("%v: %v (%s), want %v and %q", c.err, err, hint, c.want, c.says)
		}
	}
}
