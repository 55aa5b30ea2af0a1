package fabric

import (
	"fmt"
	"slices"
	"sync"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// Registry is a set of providers to choose from. The zero value is empty and ready; it is safe for concurrent use.
type Registry struct {
	mu    sync.Mutex
	provs []driver.Provider
	hooks hooks
}

// NewRegistry makes a registry of its own, for programs and tests that want no global state.
func NewRegistry(provs ...driver.Provider) *Registry {
	r := &Registry{}
	for _, p := range provs {
		r.Register(p)
	}
	return r
}

// Register adds a provider. Two of one name are a mistake in the program: it panics.
func (r *Registry) Register(p driver.Provider) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, q := range r.provs {
		if q.Name() == p.Name() {
			panic(fmt.Sprintf("fabric: provider %q is registered twice", p.Name()))
		}
	}
	r.provs = append(r.provs, p)
}

// Providers gives the providers, best first; in the default registry with the hooks of FI_HOOK before them.
func (r *Registry) Providers() []driver.Provider {
	r.mu.Lock()
	defer r.mu.Unlock()
	ps := slices.Clone(r.provs)
	for i, p := range ps {
		ps[i] = r.hooks.before(p)
	}
	slices.SortStableFunc(ps, func(a, b driver.Provider) int { return rank(a) - rank(b) })
	return ps
}

// names are those of the providers, best first.
func (r *Registry) names() []string {
	var names []string
	for _, p := range r.Providers() {
		names = append(names, p.Name())
	}
	return names
}

// find gives the provider of an Info.
func (r *Registry) find(info *fi.Info) (driver.Provider, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.provs {
		if p.Name() == info.Fabric.ProvName {
			return r.hooks.before(p), nil
		}
	}
	return nil, &fi.Error{Op: "fabric", Provider: info.Fabric.ProvName, Err: fi.ErrNoDev,
		Hint: "no such provider is registered: import _ \"github.com/gofabric/gofabric/providers/all\""}
}

// ranks order providers where several match: the fastest way to a peer first, the one for tests last. lnx comes behind
// those that it stands on: who names none gets one of them.
var ranks = map[string]int{"shm": 1, "verbs": 2, "tcp": 3, "lnx": 4, "udp": 5, ownProcess: 9}

func rank(p driver.Provider) int {
	if n, ok := ranks[p.Name()]; ok {
		return n
	}
	return 8
}

var defaultRegistry Registry

// Providers gives the providers of the default registry, best first, for a provider that stands on others; as
// [Registry.Providers].
func Providers() []driver.Provider { return defaultRegistry.Providers() }

// Register adds a provider to the default registry; providers do so when they are imported.
func Register(p driver.Provider) { defaultRegistry.Register(p) }
