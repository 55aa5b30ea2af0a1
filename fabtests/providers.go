package main

import (
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
)

// providers lists those that carry tagged datagrams, of only, or of all that there are, the best first. Each is asked by its
// name: one that reaches its own process only is listed to nobody else. It is an error where there is none, or where one of
// only is not there.
func (p *program) providers(only []string) ([]string, error) {
	all := only
	if len(only) == 0 {
		infos, err := fabric.GetInfo(p.ctx, nil, fabric.WithFlags(fi.InfoProvAttrOnly))
		if err != nil {
			return nil, session.NotOffered(fail.Call("fi_getinfo", err), options.New())
		}
		for _, i := range infos {
			all = append(all, i.Fabric.ProvName)
		}
	}
	var names []string
	var failed error
	for _, name := range all {
		o := options.New()
		o.Provider = name
		if _, err := fabric.GetInfo(p.ctx, session.Hints(o, session.Need{Caps: fi.CapTagged})); err != nil {
			failed = session.NotOffered(fail.Call("fi_getinfo", err), o)
			if len(only) > 0 {
				return nil, failed
			}
			continue
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return nil, failed
	}
	return names, nil
}
