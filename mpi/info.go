package mpi

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"
)

// Limits of an Info (MPI_MAX_INFO_KEY, MPI_MAX_INFO_VAL).
const (
	MaxInfoKey   = 255
	MaxInfoValue = 1023
)

// Info is a set of hints, keys with values (MPI_Info; MPI 4.1, 10). What nobody knows is kept and has no effect. The zero value
// is empty (MPI_INFO_NULL). All methods may be called by any number of goroutines; it must not be copied, but with Clone.
type Info struct {
	mu   sync.Mutex
	keys []string // guarded by mu: in the order in which they were set
	of   map[string]string
}

// Set sets the value of a key (MPI_Info_set).
//
// Errors: ErrArg, a key that is empty or longer than MaxInfoKey, a value longer than MaxInfoValue.
func (i *Info) Set(key, value string) error {
	if key == "" || len(key) > MaxInfoKey || len(value) > MaxInfoValue {
		return bad("Info.Set", ErrArg, NoRank, fmt.Sprintf("a key of %d bytes and a value of %d: 1 to %d and at most %d are possible",
			len(key), len(value), MaxInfoKey, MaxInfoValue))
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.of == nil {
		i.of = map[string]string{}
	}
	if _, there := i.of[key]; !there {
		i.keys = append(i.keys, key)
	}
	i.of[key] = value
	return nil
}

// Get gives the value of a key, and whether it has one (MPI_Info_get_string).
func (i *Info) Get(key string) (value string, ok bool) {
	if i == nil {
		return "", false
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	value, ok = i.of[key]
	return value, ok
}

// Delete takes a key out, and tells whether it was there (MPI_Info_delete).
func (i *Info) Delete(key string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if _, there := i.of[key]; !there {
		return false
	}
	delete(i.of, key)
	i.keys = slices.DeleteFunc(i.keys, func(k string) bool { return k == key })
	return true
}

// Len is the number of keys (MPI_Info_get_nkeys).
func (i *Info) Len() int {
	if i == nil {
		return 0
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	return len(i.keys)
}

// All gives keys and values in the order in which the keys were set first, as they are when the loop begins
// (MPI_Info_get_nthkey).
func (i *Info) All() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		c := i.Clone()
		for _, k := range c.keys {
			if !yield(k, c.of[k]) {
				return
			}
		}
	}
}

// Clone makes a copy (MPI_Info_dup).
func (i *Info) Clone() *Info {
	if i == nil {
		return new(Info)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	return &Info{keys: slices.Clone(i.keys), of: maps.Clone(i.of)}
}

// SetInfo gives the communicator other hints: a copy of these (MPI_Comm_set_info; MPI 4.1, 7.4.1). They have no effect;
// those of DupWithInfo may.
// Local.
func (c *Comm) SetInfo(i *Info) { c.info.Store(i.Clone()) }

// Info gives a copy of the communicator's hints, which are empty if none were given (MPI_Comm_get_info).
func (c *Comm) Info() *Info { return c.info.Load().Clone() }
