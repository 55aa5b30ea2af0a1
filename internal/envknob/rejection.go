package envknob

import (
	"errors"

	"github.com/gofabric/gofabric/fi"
)

// Rejection is what a provider says when err kept it from reading its variables: which one it was, its value, and which there
// may be.
func Rejection(provider string, err error) fi.Rejection {
	have := err.Error()
	if e, ok := errors.AsType[*fi.Error](err); ok && e.Hint != "" {
		have = e.Hint // the rest only says again where it was noticed
	}
	return fi.Rejection{Provider: provider, Attr: "environment", Have: have}
}
