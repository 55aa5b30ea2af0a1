package fabric

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/envknob"
)

// envHook puts hooks before every provider of the default registry.
var envHook = envknob.String("FI_HOOK", "core",
	"hooks before every provider, a list with ; or commas, the last one next to the program: trace, profile, monitor, check", "")

// Hook makes a provider that stands before inner, has its name, and watches what passes (fi_hook(7)).
type Hook func(inner driver.Provider) driver.Provider

// RegisterHook makes a hook known by the name that FI_HOOK may have; importing providers/hook does so for those there.
// It counts for the default registry only, and before that is first asked. Two of one name are a mistake in the program:
// it panics.
func RegisterHook(name string, h Hook) { defaultRegistry.hooks.register(&defaultRegistry, name, h) }

// hooks are those that stand before a registry's providers. The registry's lock guards all but env.
type hooks struct {
	env     envknob.Lookup // where FI_HOOK is looked up; nil: nowhere
	known   map[string]Hook
	read    bool                       // FI_HOOK was
	chain   []Hook                     // what it says, the innermost first
	wrapped map[string]driver.Provider // by name
	wrong   []string                   // what is wrong with it
}

func (h *hooks) register(r *Registry, name string, hook Hook) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, twice := h.known[name]; twice {
		panic(fmt.Sprintf("fabric: hook %q is registered twice", name))
	}
	if h.known == nil {
		h.known = map[string]Hook{}
	}
	h.known[name] = hook
}

// choose reads FI_HOOK, once.
func (h *hooks) choose() {
	if h.read || h.env == nil {
		return
	}
	h.read = true
	text, _ := envHook.Get(h.env)
	names := slices.Sorted(maps.Keys(h.known))
	for n := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ';' }) {
		n = strings.ToLower(strings.TrimSpace(n))
		hook, ok := h.known[n]
		switch {
		case ok:
			h.chain = append(h.chain, hook)
		case n == "":
		case len(names) == 0:
			h.wrong = append(h.wrong, fmt.Sprintf("FI_HOOK=%s: no hooks are linked in: import _ \"github.com/gofabric/gofabric/providers/hook\"", text))
			return
		default:
			fix := "there are " + strings.Join(names, ", ")
			if near := fi.Suggest(n, names); near != "" {
				fix = "did you mean " + near + "?"
			}
			h.wrong = append(h.wrong, fmt.Sprintf("FI_HOOK: no hook %s is known; %s", n, fix))
		}
	}
}

// before gives the provider that stands before p: p itself where there are no hooks.
func (h *hooks) before(p driver.Provider) driver.Provider {
	h.choose()
	if len(h.chain) == 0 {
		return p
	}
	w := h.wrapped[p.Name()]
	if w == nil {
		w = p
		for _, hook := range h.chain {
			w = hook(w)
		}
		if h.wrapped == nil {
			h.wrapped = map[string]driver.Provider{}
		}
		h.wrapped[p.Name()] = w
	}
	return w
}

// wrongHooks is what is wrong with FI_HOOK; nil for nothing. Who asks for a hook must not be left without it, unaware.
func (r *Registry) wrongHooks(op string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hooks.choose()
	if len(r.hooks.wrong) == 0 {
		return nil
	}
	return &fi.Error{Op: op, Object: attrEnvironment, Err: fi.ErrInvalid,
		Hint: strings.Join(r.hooks.wrong, "; ")}
}

// tellRefused tells a hook that the endpoint was not enabled for what it lacks. Without c.mu.
func (c *epCore) tellRefused() {
	c.mu.Lock()
	err, drv := c.refused, c.drv
	c.refused = nil
	c.mu.Unlock()
	if r, hears := drv.(driver.Refuser); hears && err != nil {
		r.Refused(err)
	}
}

func init() { defaultRegistry.hooks.env = os.LookupEnv }
