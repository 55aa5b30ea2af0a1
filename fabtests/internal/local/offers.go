package local

import (
	"context"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
)

// Offers tells whether the provider of the options says that it has what a scenario needs, and the command that shows it.
func Offers(ctx context.Context, s *scenario.Scenario, o *options.Options) (has bool, command string) {
	need := session.Need{}
	if s.Caps != nil {
		need.Caps = s.Caps(o)
	}
	h := session.Hints(o, need)
	if s.Kind == scenario.Unit { // they can live with everything, and open less
		h = &fi.Hints{EP: &fi.EPAttr{Type: o.AnyEPType()}, Fabric: &fi.FabricAttr{Name: o.Fabric, ProvName: o.Provider}}
	}
	if s.Hints != nil {
		s.Hints(o, h)
	}
	infos, err := fabric.GetInfo(ctx, h)
	has = err == nil
	if has && o.Prefix { // no hint asks for it
		has = infos[0].EP.MsgPrefixSize > 0
	}
	return has, fail.Next(session.NotOffered(fail.Call("fi_getinfo", fi.ErrNoData), o))
}
