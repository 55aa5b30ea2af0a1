package fabric

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// bare is a provider that has nothing but a name and what stands before it.
type bare struct{ name, hooks string }

func (b *bare) Name() string { return b.name }
func (b *bare) Offers(context.Context, *driver.Query) ([]*fi.Info, []fi.Rejection) {
	return nil, nil
}
func (b *bare) OpenFabric(*fi.Info) (driver.Fabric, error) { return nil, fi.ErrNoSys }

// hooked is a registry with two providers and two hooks, where FI_HOOK has a value.
func hooked(t *testing.T, value string) (r *Registry, asked *int) {
	asked = new(int)
	r = NewRegistry(&bare{name: "a"}, &bare{name: "b"})
	r.hooks.env = func(name string) (string, bool) {
		if name != "FI_HOOK" {
			t.Errorf("%s was looked up", name)
		}
		*asked++
		return value, value != ""
	}
	for _, h := range []string{"one", "other"} {
		r.hooks.register(r, h, func(p driver.Provider) driver.Provider {
			return &bare{p.Name(), p.(*bare).hooks + h + " "}
		})
	}
	return r, asked
}

// TestHooks puts hooks before providers: in the order that FI_HOOK has, once for each provider, and none where there are
// none. What is no hook is an error of GetInfo.
func TestHooks(t *testing.T) {
	for _, c := range []struct{ value, hooks, wrong string }{
		{"", "", ""},
		{"one", "one ", ""},
		{"one;other", "one other ", ""},
		{"other, ONE ,", "other one ", ""},
		{"othr;one", "one ", "no hook othr is known; did you mean other?"},
		{"quite_different", "", "no hook quite_different is known; there are one, other"},
	} {
		r, asked := hooked(t, c.value)
		for range 2 {
			ps := r.Providers()
			p, err := r.find(&fi.Info{Fabric: fi.FabricAttr{ProvName: "b"}})
			if err != nil || len(ps) != 2 || p != ps[1] || ps[0].Name() != "a" || ps[0].(*bare).hooks != c.hooks {
				t.Errorf("%q: %v, %v, %v", c.value, ps, p, err)
			}
		}
		for range 2 {
			_, err := GetInfo(t.Context(), nil, WithRegistry(r))
			told := errors.Is(err, fi.ErrInvalid) && strings.Contains(err.Error(), c.wrong+")")
			if told != (c.wrong != "") {
				t.Errorf("%q: GetInfo says %v", c.value, err)
			}
		}
		if *asked != 1 {
			t.Errorf("%q: looked up %d times", c.value, *asked)
		}
	}
}

// TestHooksNone is a program without hooks: FI_HOOK is an error, and no registry but the default one looks at it.
func TestHooksNone(t *testing.T) {
	r := NewRegistry(&bare{name: "a"})
	r.hooks.env = func(string) (string, bool) { return "check", true }
	if _, err := GetInfo(t.Context(), nil, WithRegistry(r)); !errors.Is(err, fi.ErrInvalid) || !strings.Contains(err.Error(), "providers/hook") {
		t.Errorf("GetInfo says %v", err)
	}
	none := func(string) (string, bool) { return "", false }
	if _, err := GetInfo(t.Context(), nil, WithRegistry(r), WithEnv(none)); errors.Is(err, fi.ErrInvalid) || r.Providers()[0] != r.provs[0] {
		t.Errorf("with another environment GetInfo says %v", err)
	}
	if NewRegistry().hooks.env != nil || defaultRegistry.hooks.env == nil {
		t.Error("which registry looks at FI_HOOK?")
	}
	defer func() {
		if recover() == nil {
			t.Error("two hooks of one name")
		}
	}()
	r.hooks.register(r, "x", nil)
	r.hooks.register(r, "x", nil)
}
