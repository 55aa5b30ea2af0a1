package ubertest

import (
	"bytes"
	"errors"
	"testing"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fi"
)

// TestResults counts as libfabric's program does, and ends with the number of what went wrong, never with 1.
func TestResults(t *testing.T) {
	for _, c := range []struct {
		errs []error
		want string
		code int
	}{
		{[]error{nil, nil, &skipped{fi.ErrOpNotSupp}}, "Success: 2\nSkipped: 1\nENODATA: 0\nENOSYS : 0\nEIO    : 0\nERROR  : 0\n", 0},
		{[]error{fi.ErrNoData, nil}, "Success: 1\nSkipped: 0\nENODATA: 1\nENOSYS : 0\nEIO    : 0\nERROR  : 0\n", 61},
		{[]error{fi.ErrNoData, &peerFailed{38}}, "Success: 0\nSkipped: 0\nENODATA: 1\nENOSYS : 1\nEIO    : 0\nERROR  : 0\n", 38},
		{[]error{wrongData(errors.New("x")), fi.ErrNoSys}, "Success: 0\nSkipped: 0\nENODATA: 0\nENOSYS : 1\nEIO    : 1\nERROR  : 0\n", 5},
		{[]error{fi.ErrTimedOut, fi.ErrTruncated}, "Success: 0\nSkipped: 0\nENODATA: 0\nENOSYS : 0\nEIO    : 0\nERROR  : 2\n", 110},
		{[]error{fi.ErrTruncated}, "Success: 0\nSkipped: 0\nENODATA: 0\nENOSYS : 0\nEIO    : 0\nERROR  : 1\n", 5},
	} {
		var r results
		for _, err := range c.errs {
			r.add(err)
		}
		var out bytes.Buffer
		err := r.end(&out, nil)
		if out.String() != c.want || fail.ExitCode(err) != c.code {
			t.Errorf("%v: status %d, want %d:\n%s", c.errs, fail.ExitCode(err), c.code, &out)
		}
	}
	var r results
	if code := fail.ExitCode(r.end(&bytes.Buffer{}, &lost{fi.ErrOther})); code != 5 {
		t.Errorf("a connection that was lost: status %d", code)
	}
}
