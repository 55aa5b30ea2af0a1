package fabric

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/zlog"
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
// none. What is no hook is a warning.
func TestHooks(t *testing.T) {
	for _, c := range []struct{ value, hooks, warns string }{
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
		var log bytes.Buffer
		sink := zlog.FromSlog(slog.NewTextHandler(&log, nil))
		r.warnHooks(sink.Logger("core", zlog.Core))
		r.warnHooks(sink.Logger("core", zlog.Core))
		if n := strings.Count(log.String(), "\n"); c.warns == "" && n != 0 || c.warns != "" && (n != 1 || !strings.Contains(log.String(), c.warns)) {
			t.Errorf("%q: the log has %q", c.value, log.String())
		}
		if *asked != 1 {
			t.Errorf("%q: looked up %d times", c.value, *asked)
		}
	}
}

// TestHooksNone is a program without hooks: FI_HOOK is a warning, and no registry but the default one looks at it.
func TestHooksNone(t *testing.T) {
	r := NewRegistry(&bare{name: "a"})
	r.hooks.env = func(string) (string, bool) { return "check", true }
	var log bytes.Buffer
	r.warnHooks(zlog.FromSlog(slog.NewTextHandler(&log, nil)).Logger("core", zlog.Core))
	if !strings.Contains(log.String(), "providers/hook") || r.Providers()[0] != r.provs[0] {
		t.Errorf("the log has %q", log.String())
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
