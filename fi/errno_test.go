package fi

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"testing"
)

func TestErrnoText(t *testing.T) {
	for e, want := range map[Errno]string{
		Success:         "FI_SUCCESS: success",
		ErrAgain:        "FI_EAGAIN: resource temporarily unavailable",
		ErrNoData:       "FI_ENODATA: no data available",
		ErrExist:        "EEXIST: file exists",
		32:              "EPIPE: broken pipe",
		ErrAvail:        "FI_EAVAIL: an error entry waits to be read",
		ErrFirewallAddr: "FI_EFIREWALLADDR: host is behind a firewall",
		41:              "unknown error 41",
		255:             "unknown error 255",
		272:             "unknown error 272",
		-11:             "unknown error -11",
		1 << 30:         "unknown error 1073741824",
	} {
		if got := e.Error(); got != want {
			t.Errorf("%d: %q, want %q", int(e), got, want)
		}
	}
	if got := ErrNoData.Strerror(); got != "No data available" {
		t.Errorf("Strerror: %q", got)
	}
	if got := Errno(999).Strerror(); got != "Unknown error 999" {
		t.Errorf("Strerror: %q", got)
	}
}

// TestErrnoIs checks the bridge to the standard library in both directions: each sentinel is met by exactly the numbers
// listed.
func TestErrnoIs(t *testing.T) {
	for _, c := range []struct {
		target error
		met    []Errno
	}{
		{errors.ErrUnsupported, []Errno{ErrNoSys, ErrOpNotSupp}},
		{fs.ErrPermission, []Errno{ErrPerm, ErrAccess}},
		{fs.ErrNotExist, []Errno{ErrNoEnt}},
		{fs.ErrExist, []Errno{ErrExist}},
		{fs.ErrInvalid, []Errno{ErrInvalid}},
		{context.DeadlineExceeded, []Errno{ErrTimedOut}},
		{os.ErrDeadlineExceeded, []Errno{ErrTimedOut}},
		{net.ErrClosed, []Errno{ErrBadFD}},
		{context.Canceled, nil},
		{errors.New("other"), nil},
	} {
		met := map[Errno]bool{}
		for _, e := range c.met {
			met[e] = true
		}
		for e := Errno(-2); e < 300; e++ {
			if got := errors.Is(e, c.target); got != met[e] {
				t.Errorf("errors.Is(%v, %v) = %v", e, c.target, got)
			}
			wrapped := fmt.Errorf("call: %w", &Error{Op: "op", Err: e})
			if got := errors.Is(wrapped, c.target); got != met[e] {
				t.Errorf("errors.Is(%v, %v) = %v", wrapped, c.target, got)
			}
		}
	}
	if !errors.Is(ErrAgain, ErrAgain) || errors.Is(ErrAgain, ErrAvail) {
		t.Error("a number is itself only")
	}
	if errors.Is(ErrAgain, uncomparable{"x"}) {
		t.Error("an uncomparable target matched")
	}
}

type uncomparable []string

func (u uncomparable) Error() string { return strings.Join(u, " ") }

func TestErrnoTimeout(t *testing.T) {
	for e := range Errno(300) {
		if e.Timeout() != (e == ErrTimedOut) {
			t.Errorf("%v: Timeout() = %v", e, e.Timeout())
		}
	}
}

func TestErrnoCostsNothing(t *testing.T) {
	var seen int
	err := func() error { return ErrAgain }
	avail := func() error { return ErrAvail }
	if n := testing.AllocsPerRun(100, func() {
		if err() == ErrAgain {
			seen++
		}
		if errors.Is(avail(), ErrAvail) {
			seen++
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkErrnoCompare(b *testing.B) {
	err := error(ErrAgain)
	for b.Loop() {
		if err != ErrAgain {
			b.Fatal()
		}
	}
}
