package local

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/internal/topo"
)

// TestCheckCores refuses processors that are not there, with those that are, and too few of them for two sides.
func TestCheckCores(t *testing.T) {
	m := topo.New(fstest.MapFS{"proc/self/status": {Data: []byte("Cpus_allowed_list:\t0-2,5\n")}})
	for _, c := range []struct {
		sides scenario.Sides
		local bool
		cores []int
		want  string // in the error; "" for none
	}{
		{scenario.Pair, true, nil, ""},
		{scenario.Pair, true, []int{0, 5}, ""},
		{scenario.Pair, false, []int{5}, ""},
		{scenario.Alone, true, []int{1}, ""},
		{scenario.Group, true, []int{1}, ""},
		{scenario.Pair, true, []int{0, 99}, "no processor 99 that this process may run on; there are 0-2,5"},
		{scenario.Pair, false, []int{3}, "no processor 3"},
		{scenario.Group, true, []int{99}, "no processor 99"},
		{scenario.Pair, true, []int{1}, "need a processor each; there are 0-2,5"},
	} {
		o := options.New()
		o.Local, o.PinCore = c.local, c.cores
		err := CheckCores(m, &scenario.Scenario{Name: "test", Sides: c.sides}, o)
		if (err != nil) != (c.want != "") || err != nil && (!strings.Contains(err.Error(), c.want) || fail.ExitCode(err) != 1) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
