package local

import (
	"context"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fi"
)

// TestOffers asks what a provider has before a scenario runs, with all that options and scenario say.
func TestOffers(t *testing.T) {
	for _, c := range []struct {
		name string
		set  func(*options.Options, *scenario.Scenario)
		want bool
		ask  string // in the command that shows it
	}{
		{"messages", func(*options.Options, *scenario.Scenario) {}, true, "fi_info --explain -p mem -t rdm"},
		{"connections", func(o *options.Options, _ *scenario.Scenario) { o.EPType = fi.EPMsg }, true, "-t msg"},
		{"datagrams", func(o *options.Options, _ *scenario.Scenario) { o.EPType = fi.EPDgram }, true, "-t dgram"},
		{"datagrams to write by", func(o *options.Options, s *scenario.Scenario) {
			o.EPType, s.Caps = fi.EPDgram, func(*options.Options) fi.Caps { return fi.CapRMA }
		}, false, "-t dgram"},
		{"a prefix", func(o *options.Options, _ *scenario.Scenario) { o.Prefix = true }, false, "msg_prefix_size"},
		{"device memory", func(_ *options.Options, s *scenario.Scenario) {
			s.Caps = func(*options.Options) fi.Caps { return fi.CapMsg | fi.CapHMEM }
		}, false, ""},
		{"more than an address", func(_ *options.Options, s *scenario.Scenario) {
			s.Hints = func(_ *options.Options, h *fi.Hints) { h.Domain.CQDataSize = 1000 }
		}, false, ""},
	} {
		o, s := options.New(), &scenario.Scenario{Name: "x", Sides: scenario.Pair}
		o.Provider = "mem"
		c.set(o, s)
		if has, ask := Offers(context.Background(), s, o); has != c.want || !strings.Contains(ask, c.ask) {
			t.Errorf("%s: %v, %q; want %v, %q", c.name, has, ask, c.want, c.ask)
		}
	}
}
