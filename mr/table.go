package mr

import (
	"crypto/rand"
	"encoding/binary"

	"github.com/gofabric/gofabric/fi"
)

// Table holds a domain's live regions by key. The domain's lock guards it.
type Table struct {
	byKey map[uint64]*Region
}

// NewTable makes an empty table.
func NewTable() *Table { return &Table{byKey: make(map[uint64]*Region)} }

// Len is the number of live regions.
func (t *Table) Len() int { return len(t.byKey) }

// RandomKey makes a key that nobody can guess and that no live region has.
func (t *Table) RandomKey() uint64 {
	for {
		var b [8]byte
		rand.Read(b[:]) // never fails: crypto/rand
		k := binary.LittleEndian.Uint64(b[:])
		if _, used := t.byKey[k]; !used && k != fi.KeyNotAvail && k != 0 {
			return k
		}
	}
}

// Add makes r reachable by its key; fi.ErrNoKey when the key is taken.
func (t *Table) Add(r *Region) error {
	if _, used := t.byKey[r.Key]; used {
		return fi.ErrNoKey
	}
	t.byKey[r.Key] = r
	return nil
}

// Find gives the live region of a key, or nil.
//
//fabric:fastpath
func (t *Table) Find(key uint64) *Region { return t.byKey[key] }

// Kill ends remote access to r; its key may be used again. Killing twice does nothing.
func (t *Table) Kill(r *Region) {
	if !r.dead {
		r.dead = true
		if t.byKey[r.Key] == r {
			delete(t.byKey, r.Key)
		}
	}
}

// All calls f for each live region until it returns false.
func (t *Table) All(f func(*Region) bool) {
	for _, r := range t.byKey {
		if !f(r) {
			return
		}
	}
}
