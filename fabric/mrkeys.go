package fabric

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// MRAuthKey says which peers may access a region in a domain with keys in vectors (struct fi_mr_auth_key).
type MRAuthKey struct {
	AV   *AV     // whose keys and addresses they have
	Addr fi.Addr // fi.AddrUnspec: who comes with one of the keys that AV has now; or one key, or one peer, by its number
}

// RegisterMRKeyed registers memory in a domain with Domain.AVAuthKey (fi_mr_regattr), where the
// other calls register none: a region is always for peers with some keys. Others are refused as they are for a right that
// the region does not give, fi.ErrAccess. Keys and addresses that come into the vector later change nothing.
//
// Ownership: as RegisterMRAttr.
// Errors: as RegisterMRAttr; fi.ErrNoSys in other domains, fi.ErrDomain for a vector of another domain, fi.ErrInvalid
// without a vector and for a number that is not in use in it.
func (d *Domain) RegisterMRKeyed(a *fi.MRAttr, who MRAuthKey) (*MR, error) {
	if err := d.open("mr_reg"); err != nil {
		return nil, err
	}
	switch {
	case d.keyer == nil:
		return nil, d.fail("mr_reg", fi.ErrNoSys, keysElsewhere)
	case who.AV == nil:
		return nil, d.fail("mr_reg", fi.ErrInvalid, "the vector is nil: give the one whose keys the peers have")
	case who.AV.domain != d:
		return nil, d.fail("mr_reg", fi.ErrDomain, "the vector belongs to another domain: give one of this domain's")
	}
	admits, err := who.AV.admits(who.Addr)
	if err != nil {
		return nil, err
	}
	return d.registerAttr(a, admits)
}

// admits makes the check of a region that is for the peers of a number.
func (av *AV) admits(a fi.Addr) (func([]byte, [32]byte) bool, error) {
	if a == fi.AddrUnspec {
		keys := av.v.Keys()
		return func(_ []byte, key [32]byte) bool { return slices.Contains(keys, key) }, nil
	}
	if driver.IsKey(a) {
		if _, sum, ok := av.v.Key(a); ok {
			return func(_ []byte, key [32]byte) bool { return key == sum }, nil
		}
		return nil, av.fail("mr_reg", fi.ErrInvalid, fmt.Sprintf("key %#x is not in use: give the number that InsertAuthKey gave", uint64(a)))
	}
	var peers [][]byte // several: the contexts of a scalable endpoint
	err := av.each(a, func(at fi.Addr) error {
		raw, ok := av.v.Lookup(at)
		if !ok {
			return fi.ErrInvalid
		}
		peers = append(peers, raw)
		return nil
	})
	if err != nil {
		return nil, av.fail("mr_reg", err, unused(a))
	}
	return func(peer []byte, _ [32]byte) bool {
		return slices.ContainsFunc(peers, func(p []byte) bool { return bytes.Equal(p, peer) })
	}, nil
}

// admitsKey makes that of a region for the peers with one key, where endpoints have one each (MRAttr.AuthKey); nil for all.
func (d *Domain) admitsKey(key []byte) (func([]byte, [32]byte) bool, error) {
	if len(key) == 0 {
		return nil, nil
	}
	keyer, ok := driver.Ability[driver.AuthKeyer](d.drv)
	if !ok {
		return nil, d.fail("mr_reg", fi.ErrNoSys, "this provider has no keys, and would let everybody in: leave MRAttr.AuthKey empty")
	}
	sum := keyer.AuthKey(key)
	return func(_ []byte, key [32]byte) bool { return key == sum }, nil
}

// both is for a part of a region: who may access it must be let into the region, too.
func both(r *mr.Region, admits func([]byte, [32]byte) bool) func([]byte, [32]byte) bool {
	switch {
	case r == nil || r.Admits == nil:
		return admits
	case admits == nil:
		return r.Admits
	}
	return func(peer []byte, key [32]byte) bool { return r.Admits(peer, key) && admits(peer, key) }
}
