package ubertest

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fi"
)

// results counts how tests ended.
type results struct {
	success, skipped, noData, noSys, eio, other int
	first                                       error // of those in other
}

// add counts one.
func (r *results) add(err error) {
	if _, skip := errors.AsType[*skipped](err); skip {
		r.skipped++
		return
	}
	switch n := fail.Errno(err); {
	case err == nil:
		r.success++
	case n == fi.ErrNoData:
		r.noData++
	case n == fi.ErrNoSys:
		r.noSys++
	case n == fi.ErrIO:
		r.eio++
	default:
		if r.other++; r.first == nil {
			r.first = err
		}
	}
}

// show prints the lines that runners count.
func (r *results) show(w io.Writer) {
	fmt.Fprintf(w, "Success: %d\nSkipped: %d\nENODATA: %d\nENOSYS : %d\nEIO    : %d\nERROR  : %d\n", r.success, r.skipped, r.noData, r.noSys, r.eio, r.other)
}

// end shows the results of a run, and gives its error: err, or that of tests that failed.
func (r *results) end(w io.Writer, err error) error {
	r.show(w)
	if err == nil {
		err = r.failure()
	}
	if err != nil && fail.ExitCode(err) == 1 {
		err = &outcome{err}
	}
	return err
}

// outcome is the error of a run whose number has no room in a status. 1 would say that the options make no sense.
type outcome struct{ err error }

// Error gives that of err.
func (o *outcome) Error() string { return o.err.Error() }

// Unwrap gives err.
func (o *outcome) Unwrap() error { return o.err }

// ExitCode is that of FI_EIO.
func (o *outcome) ExitCode() int { return int(fi.ErrIO) }

// failure is the error of the run: nil when no test failed. C's program ends well where only ERROR counts some; ours does not.
func (r *results) failure() error {
	lines := []struct {
		n   int
		err error
	}{{r.eio, fi.ErrIO}, {r.noSys, fi.ErrNoSys}, {r.noData, fi.ErrNoData}, {r.other, r.first}}
	failed := 0
	for _, l := range lines {
		failed += l.n
	}
	i := slices.IndexFunc(lines, func(l struct {
		n   int
		err error
	}) bool {
		return l.n > 0
	})
	if i < 0 {
		return nil
	}
	return &fail.Hint{Err: fail.Call("ft_fw_client", fmt.Errorf("%d of %d tests failed, the first of them so: %w", failed, failed+r.success, lines[i].err)),
		Next: "one of them alone: -y N -z N with its number"}
}
