//go:build !unix

package conformance

import (
	"errors"
	"os"
)

// canStop tells whether processes can be paused here.
const canStop = false

func stopProcess(*os.Process) error     { return errors.ErrUnsupported }
func continueProcess(*os.Process) error { return errors.ErrUnsupported }
