package driver

import (
	"bytes"
	"slices"

	"github.com/gofabric/gofabric/fi"
)

// keyHandle is the bit that tells the number of a key from that of an address.
const keyHandle fi.Addr = 1 << 63

// avKey is a key of a vector.
type avKey struct {
	key  []byte // nil: the place is free
	sum  AuthKey
	user fi.Addr
	held int // endpoints that were enabled with it
}

// IsKey tells whether a names a key of a vector, not an address.
func IsKey(a fi.Addr) bool { return a&keyHandle != 0 && a < fi.AddrUnspec }

// InsertKey adds a key and gives its number, that of a key which is there already; fresh tells whether it was not.
// fi.ErrNoMem when there are [MaxAuthKeys].
func (v *AV) InsertKey(key []byte, sum AuthKey) (a fi.Addr, fresh bool, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	i := v.keyIndex(sum)
	if i >= 0 {
		return keyHandle | fi.Addr(i), false, nil
	}
	if i = slices.IndexFunc(v.keys, func(k avKey) bool { return k.key == nil }); i < 0 {
		if i = len(v.keys); i == MaxAuthKeys {
			return fi.AddrNotAvail, false, fi.ErrNoMem
		}
		v.keys = append(v.keys, avKey{})
	}
	a = keyHandle | fi.Addr(i)
	v.keys[i] = avKey{key: bytes.Clone(key), sum: sum, user: a}
	return a, true, nil
}

// keyIndex finds the key of a digest, -1 for none. With the mutex.
func (v *AV) keyIndex(sum AuthKey) int {
	return slices.IndexFunc(v.keys, func(k avKey) bool { return k.key != nil && k.sum == sum })
}

// keyAt gives the key of a number, nil for none. With the mutex.
func (v *AV) keyAt(a fi.Addr) *avKey {
	i := a &^ keyHandle
	if !IsKey(a) || i >= fi.Addr(len(v.keys)) || v.keys[i].key == nil {
		return nil
	}
	return &v.keys[i]
}

// RemoveKey frees the number of a key: fi.ErrInvalid when it has none, fi.ErrBusy while an endpoint was enabled with it, or
// the vector has addresses under it.
func (v *AV) RemoveKey(a fi.Addr) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	k := v.keyAt(a)
	switch {
	case k == nil:
		return fi.ErrInvalid
	case k.held > 0 || slices.ContainsFunc(v.slots, func(s avSlot) bool { return bytes.HasSuffix(s.raw, k.sum[:]) }):
		return fi.ErrBusy
	}
	*k = avKey{}
	return nil
}

// Key gives the key of a number and its digest; it must not be changed.
func (v *AV) Key(a fi.Addr) (key []byte, sum AuthKey, ok bool) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	k := v.keyAt(a)
	if k == nil {
		return nil, sum, false
	}
	return k.key, k.sum, true
}

// KeyOf gives the key of a digest; nil when the vector does not have it.
func (v *AV) KeyOf(sum AuthKey) []byte {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if i := v.keyIndex(sum); i >= 0 {
		return v.keys[i].key
	}
	return nil
}

// SetKeyUserID sets what reports of unknown senders show for a key instead of its number.
func (v *AV) SetKeyUserID(a, user fi.Addr) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	k := v.keyAt(a)
	if k == nil {
		return fi.ErrInvalid
	}
	k.user = user
	return nil
}

// KeyUserID is what reports of unknown senders show for the key of a digest.
func (v *AV) KeyUserID(sum AuthKey) fi.Addr {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if i := v.keyIndex(sum); i >= 0 {
		return v.keys[i].user
	}
	return fi.AddrNotAvail
}

// Keys gives the digests of all keys.
func (v *AV) Keys() (all []AuthKey) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	for i := range v.keys {
		if v.keys[i].key != nil {
			all = append(all, v.keys[i].sum)
		}
	}
	return all
}

// HoldKeys gives the digests for an endpoint that is enabled with them: they stay until [AV.DropKeys].
func (v *AV) HoldKeys() []AuthKey {
	v.mu.Lock()
	defer v.mu.Unlock()
	var all []AuthKey
	for i := range v.keys {
		if k := &v.keys[i]; k.key != nil {
			k.held++
			all = append(all, k.sum)
		}
	}
	return all
}

// DropKeys ends what HoldKeys began.
func (v *AV) DropKeys(all []AuthKey) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for i := range v.keys {
		if k := &v.keys[i]; k.key != nil && slices.Contains(all, k.sum) {
			k.held--
		}
	}
}
