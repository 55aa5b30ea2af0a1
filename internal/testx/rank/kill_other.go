//go:build !unix

package rank

import "errors"

func kill(int) error { return errors.ErrUnsupported }
