package pmi

import (
	"errors"
	"fmt"

	"github.com/gofabric/gofabric/fi"
)

// fail makes the error of a call. err is an Errno, possibly joined with what caused it.
func fail(op string, err error, hint string) error {
	return &fi.Error{Provider: "pmi", Op: op, Err: err, Hint: hint}
}

// lost is the error of a wire that broke or that carried what is not PMI.
func lost(op string, err error) error {
	return fail(op, errors.Join(fi.ErrConnAborted, err), "the launcher is gone or does not speak this protocol: look at its own messages, and start the job again")
}

// notThere is the error of a key that nobody put.
func notThere(key string) error {
	return fail("get", fi.ErrNoEnt, fmt.Sprintf("nobody has put %q before the last fence: Put it, then Fence on all ranks", key))
}
