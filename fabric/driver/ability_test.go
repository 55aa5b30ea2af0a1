package driver_test

import (
	"testing"

	"github.com/gofabric/gofabric/fabric/driver"
)

type plain struct{}

type named struct{ calls int }

func (n *named) SetName([]byte) error { n.calls++; return nil }

type wrapped struct {
	inner any
	named
}

func (w *wrapped) Inner() any { return w.inner }

// TestAbility asks plain objects, wrappers, and wrappers of wrappers: the outermost answers, if all that it stands before can.
func TestAbility(t *testing.T) {
	for _, c := range []struct {
		what string
		o    any
		has  bool
	}{
		{"an object with it", &named{}, true},
		{"an object without", plain{}, false},
		{"a wrapper of one with it", &wrapped{inner: &named{}}, true},
		{"a wrapper of one without", &wrapped{inner: plain{}}, false},
		{"two wrappers of one with it", &wrapped{inner: &wrapped{inner: &named{}}}, true},
		{"two wrappers of one without", &wrapped{inner: &wrapped{inner: plain{}}}, false},
		{"nothing", nil, false},
	} {
		n, has := driver.Ability[driver.Namer](c.o)
		if has != c.has || has != (n != nil) || has && any(n) != c.o {
			t.Errorf("%s: %v, %v", c.what, n, has)
		}
	}
}
