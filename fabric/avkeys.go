package fabric

import (
	"bytes"
	"fmt"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// Keys of vectors (FI_AV_AUTH_KEY): in a domain that was opened with Domain.AVAuthKey an endpoint has the keys that its
// vector has when it is enabled, and a peer is an address under one of them. The number of a key is told from that of an
// address by its highest bit, so calls that take both need no flag.

// InsertAuthKey adds an authorization key to the vector and gives its number (fi_av_insert_auth_key): for Insert with
// fi.AVAuthKey, LookupAuthKey, SetUserID, Remove and [MRAuthKey]. A key that is there keeps its number. Any bytes are a key.
//
// Endpoints have the keys that are there when they are enabled: a later one is of use to those that are enabled later. What
// completions in error show of a sender that is unknown (FI_SOURCE_ERR) is the number of the key that it has come with; in a
// vector with fi.AVUserID what SetUserID has set for it, fi.AddrNotAvail at first.
//
// Errors: fi.ErrNoSys in a domain without Domain.AVAuthKey, fi.ErrInvalid for no bytes, fi.ErrNoMem for more keys than
// Domain.MaxEPAuthKey of the Info.
func (av *AV) InsertAuthKey(key []byte) (fi.Addr, error) {
	const op = "av_insert_auth_key"
	if err := av.changeable(op); err != nil {
		return fi.AddrNotAvail, err
	}
	switch {
	case av.keyer == nil:
		return fi.AddrNotAvail, av.fail(op, fi.ErrNoSys, keysElsewhere)
	case len(key) == 0:
		return fi.AddrNotAvail, av.fail(op, fi.ErrInvalid, "the key is empty: give at least one byte")
	}
	a, fresh, err := av.v.InsertKey(key, av.keyer.AuthKey(key))
	if fresh && av.userID {
		av.v.SetKeyUserID(a, fi.AddrNotAvail) //nolint:errcheck // it was just inserted
	}
	return a, av.fail(op, err, fmt.Sprintf("there are %d keys, as many as an endpoint has (Domain.MaxEPAuthKey): remove one, or open another vector", driver.MaxAuthKeys))
}

// keysElsewhere is why a vector has no keys.
const keysElsewhere = "the domain's endpoints have a key each (Domain.AuthKey, EP.AuthKey): set Domain.AVAuthKey in the hints, or in the Info before OpenDomain, to have keys in vectors"

// LookupAuthKey gives the authorization key that a number stands for, of a key or of an address under one
// (fi_av_lookup_auth_key); a copy.
//
// Errors: fi.ErrNoSys in a domain without Domain.AVAuthKey, fi.ErrInvalid for a number that is not in use.
func (av *AV) LookupAuthKey(a fi.Addr) ([]byte, error) {
	const op = "av_lookup_auth_key"
	if err := av.open(op); err != nil {
		return nil, err
	}
	if av.keyer == nil {
		return nil, av.fail(op, fi.ErrNoSys, keysElsewhere)
	}
	if key, _, ok := av.v.Key(a); ok {
		return bytes.Clone(key), nil
	}
	raw, ok := av.v.Lookup(av.ctx.place(a))
	if !ok {
		return nil, av.fail(op, fi.ErrInvalid, unused(a))
	}
	_, sum := driver.SplitAddr(raw)
	return bytes.Clone(av.v.KeyOf(sum)), nil
}

// under gives the digest of the key whose number comes in with an address that is inserted.
func (av *AV) under(a fi.Addr) (driver.AuthKey, error) {
	_, sum, ok := av.v.Key(a)
	if !ok {
		return sum, av.fail("av_insert", fi.ErrInvalid, fmt.Sprintf("%#x is no key of the vector: give the number that InsertAuthKey gave", uint64(a)))
	}
	return sum, nil
}

// checkKeyed tells what is wrong with an insertion into a vector with keys, or one without; "" for nothing.
func (av *AV) checkKeyed(out []fi.Addr, flags fi.AVFlags) string {
	switch {
	case av.keyer == nil && flags&fi.AVAuthKey != 0:
		return keysElsewhere
	case av.keyer == nil:
		return ""
	case flags&fi.AVUserID != 0:
		return "out holds keys, so user ids have no place there: call SetUserID"
	case flags&fi.AVAuthKey == 0 || out == nil:
		return "peers of this domain are addresses under keys: give fi.AVAuthKey, and in out the numbers that InsertAuthKey gave"
	}
	return ""
}

// unkeyed is the part of what the vector has for a peer that is its address.
func (av *AV) unkeyed(raw []byte) []byte {
	if av.keyer != nil {
		raw, _ = driver.SplitAddr(raw)
	}
	return raw
}

// noKeyYet is why an endpoint is not enabled.
const noKeyYet = "the vector has no key, so nobody could be reached: call AV.InsertAuthKey first"

// holdKeys gives the keys for an endpoint that is enabled with the vector; none when there is no vector, or it has no keys.
func (av *AV) holdKeys() []driver.AuthKey {
	if av == nil || av.keyer == nil {
		return nil
	}
	return av.v.HoldKeys()
}

// dropKeys ends that.
func (av *AV) dropKeys(keys []driver.AuthKey) {
	if len(keys) > 0 {
		av.v.DropKeys(keys)
	}
}
