package fail

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fi"
)

func TestCall(t *testing.T) {
	if Call("fi_send", nil) != nil {
		t.Error("no error became one")
	}
	err := Call("fi_enable", fi.ErrNoData)
	if got := err.Error(); !strings.HasPrefix(got, "fi_enable(): fail_test.go:") || !strings.HasSuffix(got, ", ret=-61 (No data available)") {
		t.Error(got)
	}
	if Call("outer", err) != err { //nolint:errorlint // the same value
		t.Error("wrapped twice")
	}
	detailed := Call("fi_domain", &fi.Error{Op: "domain", Provider: "shm", Err: fi.ErrInvalid, Hint: "why"})
	if got := detailed.Error(); !strings.HasSuffix(got, "ret=-22 (Invalid argument): shm: domain: FI_EINVAL: invalid argument (why)") {
		t.Error(got)
	}
	if !errors.Is(detailed, fi.ErrInvalid) {
		t.Error("the cause is lost")
	}
}

type exits struct{ error }

func (exits) ExitCode() int { return 77 }

func TestExitCode(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0}, {fi.ErrNoData, 61}, {Call("x", fi.ErrNoSys), 38}, {&Usage{Text: "no"}, 1}, {fi.ErrTruncated, 1},
		{errors.New("odd"), 1}, {context.DeadlineExceeded, 110}, {fmt.Errorf("x: %w", context.Canceled), 4},
		{exits{errors.New("other")}, 77}, {&Hint{Err: fi.ErrTimedOut}, 110}, {os.ErrNotExist, 1},
	} {
		if got := ExitCode(c.err); got != c.want {
			t.Errorf("%v: %d, want %d", c.err, got, c.want)
		}
	}
}

func TestNext(t *testing.T) {
	if Next(&Hint{Err: fi.ErrIO, Next: "this"}) != "this" || Next(fmt.Errorf("x: %w", &Usage{Next: "that"})) != "that" || Next(fi.ErrIO) != "" {
		t.Error("wrong next step")
	}
}
