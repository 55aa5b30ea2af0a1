package hostid_test

import (
	"strings"
	"testing"

	"github.com/gofabric/gofabric/internal/hostid"
)

func TestOf(t *testing.T) {
	here, one, two := hostid.Of(""), hostid.Of("one"), hostid.Of("two")
	for _, id := range []string{here, one, two} {
		if len(id) != hostid.Len || strings.Trim(id, "0123456789abcdef") != "" {
			t.Errorf("%q is no identity", id)
		}
	}
	if here == one || one == two || here != hostid.Of("") || one != hostid.Of("one") {
		t.Error(here, one, two)
	}
}
