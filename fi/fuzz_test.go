package fi

import (
	"errors"
	"testing"
)

// FuzzUnmarshalText: whatever a type accepts, it prints in a form that reads as the same value; what it refuses is
// FI_EINVAL.
func FuzzUnmarshalText(f *testing.F) {
	for _, s := range []string{"FI_MSG | rma", "[ FI_MSG, FI_RMA ]", "0x10|none", "rdm", "-1", "FI_TC_DSCP+46", "2.6", "eagain", "FI_S"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for name, x := range textTypes {
			v, err := x.parse(s)
			if err != nil {
				if !errors.Is(err, ErrInvalid) {
					t.Fatalf("%s: %v", name, err)
				}
				continue
			}
			if got, err := x.parse(x.marshal(v)); err != nil || got != v {
				t.Fatalf("%s: %q reads as %#x, prints as %q, reads as %#x, %v", name, s, v, x.marshal(v), got, err)
			}
		}
	})
}
