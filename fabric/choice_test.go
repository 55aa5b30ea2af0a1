package fabric_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/providers/mem"
)

// stranger is a provider that has something to offer, or a reason why not.
type stranger struct {
	name string
	no   []fi.Rejection
}

func (s stranger) Name() string { return s.name }

func (s stranger) Offers(ctx context.Context, q *driver.Query) ([]*fi.Info, []fi.Rejection) {
	if s.no != nil {
		return nil, s.no
	}
	infos, no := mem.New().Offers(ctx, q)
	for _, i := range infos {
		i.Fabric.ProvName = s.name
	}
	return infos, no
}

func (s stranger) OpenFabric(*fi.Info) (driver.Fabric, error) { return nil, fi.ErrNoSys }

// TestOwnProcess looks for the provider that reaches its own process only: it is there for who means it.
func TestOwnProcess(t *testing.T) {
	other := stranger{name: "other"}
	silent := stranger{name: "other", no: []fi.Rejection{{Provider: "other", Attr: "node", Have: "no such host"}}}
	named := &fi.Hints{Fabric: &fi.FabricAttr{ProvName: "mem"}}
	for _, c := range []struct {
		name  string
		with  []driver.Provider
		hints *fi.Hints
		env   string
		node  string
		flags fi.InfoFlags
		want  string
	}{
		{"not meant", []driver.Provider{other, mem.New()}, nil, "", "", 0, "other"},
		{"not meant, and no other matches", []driver.Provider{silent, mem.New()}, nil, "", "far", 0, ""},
		{"alone", []driver.Provider{mem.New()}, nil, "", "far", 0, "mem"},
		{"named in the hints", []driver.Provider{other, mem.New()}, named, "", "", 0, "mem"},
		{"named in the hints, others are refused", []driver.Provider{silent, mem.New()}, named, "", "far", 0, "mem"},
		{"named in the environment", []driver.Provider{other, mem.New()}, nil, "mem", "", 0, "mem"},
		{"named beside another", []driver.Provider{other, mem.New()}, nil, "other,mem", "", 0, "other mem"},
		{"all others excluded", []driver.Provider{other, mem.New()}, nil, "^other", "", 0, "mem"},
		{"excluded", []driver.Provider{other, mem.New()}, nil, "^mem", "", 0, "other"},
		{"by its domain", []driver.Provider{other, mem.New()}, &fi.Hints{Domain: &fi.DomainAttr{Name: "mem"}}, "", "", 0, "other mem"},
		{"by an address", []driver.Provider{silent, mem.New()}, nil, "", "fi_mem://x", 0, "mem"},
		{"in a list of all", []driver.Provider{other, mem.New()}, nil, "", "", fi.InfoProvAttrOnly, "other mem"},
	} {
		t.Run(c.name, func(t *testing.T) {
			env := func(k string) (string, bool) { return c.env, k == "FI_PROVIDER" && c.env != "" }
			infos, err := fabric.GetInfo(t.Context(), c.hints, fabric.WithRegistry(fabric.NewRegistry(c.with...)), fabric.WithEnv(env),
				fabric.WithNode(c.node, ""), fabric.WithFlags(c.flags))
			var got []string
			for _, i := range infos {
				if n := len(got); n == 0 || got[n-1] != i.Fabric.ProvName {
					got = append(got, i.Fabric.ProvName)
				}
			}
			if names := strings.Join(got, " "); names != c.want || (err == nil) != (c.want != "") {
				t.Errorf("got %q, %v; want %q", names, err, c.want)
			}
			if c.want == "" && !strings.Contains(err.Error(), "no such host") {
				t.Error(err)
			}
		})
	}
}

// TestUnreadableVariable has a provider that finds a variable which it cannot read: nobody else takes its place.
func TestUnreadableVariable(t *testing.T) {
	bad := stranger{name: "other", no: []fi.Rejection{{Provider: "other", Attr: "environment", Have: `FI_OTHER_SIZE="x": want a number`}}}
	reg := fabric.NewRegistry(bad, stranger{name: "third"})
	_, err := fabric.GetInfo(t.Context(), nil, fabric.WithRegistry(reg))
	if !errors.Is(err, fi.ErrInvalid) || !strings.Contains(err.Error(), "FI_OTHER_SIZE") {
		t.Error(err)
	}
	third := &fi.Hints{Fabric: &fi.FabricAttr{ProvName: "third"}}
	if _, err := fabric.GetInfo(t.Context(), third, fabric.WithRegistry(reg)); err != nil {
		t.Error("of a provider that nobody asked:", err)
	}
	infos, no, err := fabric.Explain(t.Context(), nil, fabric.WithRegistry(reg))
	if err != nil || len(infos) == 0 || len(no) != 1 {
		t.Error(infos, no, err)
	}
}

// TestFailureTellsMost looks at the one line of a failure: what tells most stands first, what nobody asked is not there.
func TestFailureTellsMost(t *testing.T) {
	no := func(attr, want, have string) fi.Rejection {
		return fi.Rejection{Provider: "p", Attr: attr, Want: want, Have: have}
	}
	e := &fabric.NoMatchError{Rejections: []fi.Rejection{
		no("fabric_attr.prov_name", "tpc", "p"), no("interface", "up", "down"), no("caps", "FI_RMA", "FI_MSG"),
		no("node", "", "x: no such host"), no("fabric_attr.prov_name", "", "no provider of that name is registered"),
	}}
	text := e.Error()
	last := 0
	for _, want := range []string{"no provider of that name", "no such host", "FI_RMA"} {
		i := strings.Index(text, want)
		if i < last {
			t.Errorf("%q is missing or comes too early: %s", want, text)
		}
		last = i
	}
	if strings.Contains(text, "tpc") || strings.Contains(text, "more") || strings.Contains(text, "interface") {
		t.Error(text)
	}
	only := &fabric.NoMatchError{Rejections: e.Rejections[1:2]}
	if !strings.Contains(only.Error(), "interface") {
		t.Error(only)
	}
}
