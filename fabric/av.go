package fabric

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/zlog"
)

// AV is an address vector (struct fid_av, fi_av(3)): it gives peers the short names that operations use. All methods are
// safe for concurrent use.
type AV struct {
	object
	v      *driver.AV
	domain *Domain
	userID bool
	ctx    contexts
	shared *sharedAV        // nil: of this process alone
	keyer  driver.AuthKeyer // nil: no keys
}

// OpenAV makes an address vector (fi_av_open). A nil attr gives the defaults.
//
// A vector with a name is shared with processes of the same user on this host, which open one of the same provider and
// domain by that name with fi.AVRead in attr.Flags (FI_SHARED_AV in the hints' caps): they have what is inserted here under
// the same numbers, and may only read. It has room for attr.Count addresses, for 1024 at least and 65536 at most. The name
// is free again when it is closed; readers keep what they have.
//
// Errors: fi.ErrInvalid for fi.AVRead without a name; fi.ErrExist when a process shares that name, with fi.AVRead fi.ErrNoEnt
// when none does; fi.ErrNoSys for names without FI_SHARED_AV and for FI_SYMMETRIC vectors, fi.ErrBadFlags for other flags, fi.ErrOpNotSupp for user ids without FI_AV_USER_ID in the domain.
func (d *Domain) OpenAV(attr *fi.AVAttr) (*AV, error) {
	if err := d.open("av_open"); err != nil {
		return nil, err
	}
	a := fi.AVAttr{}
	if attr != nil {
		a = *attr
	}
	switch {
	case a.Flags&^(fi.AVRead|fi.AVSymmetric|fi.AVUserID) != 0:
		return nil, d.fail("av_open", fi.ErrBadFlags, "flags that are not served: give fi.AVUserID or none")
	case a.Flags&fi.AVRead != 0 && a.Name == "":
		return nil, d.fail("av_open", fi.ErrInvalid, "FI_READ needs the name of a vector that exists: give AVAttr.Name")
	case a.Flags&fi.AVSymmetric != 0:
		return nil, d.fail("av_open", fi.ErrNoSys, "no symmetric vectors here: leave fi.AVSymmetric out")
	case a.Name != "" && d.info.Domain.Caps&fi.CapSharedAV == 0:
		return nil, d.fail("av_open", fi.ErrNoSys, "the domain shares no vectors: ask for FI_SHARED_AV in the hints' caps, or leave AVAttr.Name empty and insert in each process")
	case a.Name != "" && d.keyer != nil:
		return nil, d.fail("av_open", fi.ErrNoSys, "a vector with keys is not shared, they stay in the process: leave AVAttr.Name empty, or Domain.AVAuthKey false")
	case a.Name != "" && a.RxCtxBits > 0:
		return nil, d.fail("av_open", fi.ErrInvalid, "a shared vector names no receive contexts: leave AVAttr.RxCtxBits 0")
	case a.Type < fi.AVUnspec || a.Type > fi.AVTable || a.Count < 0 || a.RxCtxBits < 0 || a.RxCtxBits > 63:
		return nil, d.fail("av_open", fi.ErrInvalid, fmt.Sprintf("out of range: type %d, count %d, rx_ctx_bits %d (0 to 63)", a.Type, a.Count, a.RxCtxBits))
	case a.Flags&fi.AVUserID != 0 && d.info.Domain.Caps&fi.CapAVUserID == 0:
		return nil, d.fail("av_open", fi.ErrOpNotSupp, "ask for FI_AV_USER_ID in the hints' caps")
	}
	if why := d.checkContexts(a.RxCtxBits); why != "" {
		return nil, d.fail("av_open", fi.ErrNoSys, why)
	}
	av := &AV{v: driver.NewAV(d.eng, min(a.Count, 1<<12)), domain: d, userID: a.Flags&fi.AVUserID != 0, ctx: newContexts(a.RxCtxBits), keyer: d.keyer}
	if err := av.share(&a); err != nil {
		return nil, err
	}
	av.init("av", d.prov, &d.object)
	d.totals.add(av)
	return av, nil
}

// Insert adds addresses and gives their names, each the lowest that is free (fi_av_insert). An address that was inserted
// before gets a second name; senders are reported with the first. With fi.AVUserID in flags, out holds on entry the ids
// that completions shall report.
//
// In a domain with Domain.AVAuthKey out must hold on entry, for each address, the number of the key under which the peer is
// to be had, which [AV.InsertAuthKey] gave, and flags fi.AVAuthKey. The same address under two keys is two peers.
//
// The number of addresses inserted comes back; out[i] is fi.AddrNotAvail for those that failed. out may be nil when the
// names are not needed, which are counted up from 0 in a vector from which nothing was removed.
//
// Errors: for each address that failed one error, joined: an *InsertError with fi.ErrInvalid; fi.ErrInvalid when out is
// too short; fi.ErrBadFlags.
func (av *AV) Insert(addrs [][]byte, out []fi.Addr, flags fi.AVFlags) (int, error) {
	if err := av.changeable("av_insert"); err != nil {
		return 0, err
	}
	if flags&^(fi.AVMore|fi.AVSyncErr|fi.AVUserID|fi.AVAuthKey) != 0 {
		return 0, av.fail("av_insert", fi.ErrBadFlags, "flags that are not served: give fi.AVMore, fi.AVSyncErr, fi.AVUserID, fi.AVAuthKey or none")
	}
	if out != nil && len(out) < len(addrs) {
		return 0, av.fail("av_insert", fi.ErrInvalid, fmt.Sprintf("out has %d places for %d addresses: give one for each, or nil", len(out), len(addrs)))
	}
	if why := av.checkKeyed(out, flags); why != "" {
		return 0, av.fail("av_insert", fi.ErrInvalid, why)
	}
	if flags&fi.AVUserID != 0 && (out == nil || !av.userID) {
		return 0, av.fail("av_insert", fi.ErrInvalid, "user ids come in out, and the vector must be opened with fi.AVUserID")
	}
	n := 0
	var errs []error
	for i, raw := range addrs {
		addr := fi.AddrNotAvail
		raw, err := av.domain.drv.CheckAddr(raw)
		var key driver.AuthKey
		if err == nil && av.keyer != nil {
			key, err = av.under(out[i])
		}
		if err == nil {
			addr, err = av.insert(raw, key)
		}
		if err != nil {
			errs = append(errs, &InsertError{Index: i, Err: av.fail("av_insert", err, "")})
		} else {
			if log := av.logger(zlog.AV); log.On(zlog.Debug) {
				log.Debug("address inserted", "address", av.domain.drv.FormatAddr(raw), "as", uint64(addr))
			}
			if flags&fi.AVUserID != 0 {
				av.setUserID(addr, out[i]) //nolint:errcheck // it was just inserted
			}
			n++
		}
		if out != nil {
			out[i] = addr
		}
	}
	return n, errors.Join(errs...)
}

// InsertError tells which address of an insertion failed (the error array of FI_SYNC_ERR).
type InsertError struct {
	Index int
	Err   error
}

// Error names the address.
func (e *InsertError) Error() string { return fmt.Sprintf("address %d: %v", e.Index, e.Err) }

// Unwrap gives Err.
func (e *InsertError) Unwrap() error { return e.Err }

// InsertSvc adds the address that a host and a service stand for (fi_av_insertsvc). A server is reached at them that was
// opened with [WithNode] and fi.InfoSource.
//
// Errors: what resolving says, such as fi.ErrNoEnt; ctx.Err(); fi.ErrOpNotSupp in a domain with Domain.AVAuthKey.
func (av *AV) InsertSvc(ctx context.Context, node, service string, flags fi.AVFlags) (fi.Addr, error) {
	if err := av.changeable("av_insertsvc"); err != nil {
		return fi.AddrNotAvail, err
	}
	if flags&^(fi.AVMore|fi.AVSyncErr) != 0 {
		return fi.AddrNotAvail, av.fail("av_insertsvc", fi.ErrBadFlags, "flags that are not served: give fi.AVMore, fi.AVSyncErr or none")
	}
	if av.keyer != nil {
		return fi.AddrNotAvail, av.fail("av_insertsvc", fi.ErrOpNotSupp, "it has no place for the key: call Insert with fi.AVAuthKey and the Info's DestAddr, which GetInfo gives for WithNode")
	}
	raws, err := av.domain.drv.Resolve(ctx, node, service, 0)
	if err != nil || len(raws) == 0 {
		if err == nil {
			err = fi.ErrNoEnt
		}
		return fi.AddrNotAvail, av.fail("av_insertsvc", err, "node "+node+", service "+service)
	}
	a, err := av.insert(raws[0], driver.AuthKey{})
	return a, av.fail("av_insertsvc", err, "")
}

// InsertSym adds nodes×services addresses (fi_av_insertsym): node with its number counted up nodes times (an IP address,
// or a host name that ends in digits), and on each the service counted up services times. The names come in that order,
// services inside nodes.
//
// Errors: fi.ErrInvalid when a node or service cannot be counted up, a count is not positive, or they are more than a
// million addresses; as InsertSvc. Those inserted before the error stay and are returned.
func (av *AV) InsertSym(ctx context.Context, node string, nodes int, service string, services int, flags fi.AVFlags) ([]fi.Addr, error) {
	if err := av.changeable("av_insertsym"); err != nil {
		return nil, err
	}
	if nodes <= 0 || services <= 0 || nodes > maxSymmetric/services {
		return nil, av.fail("av_insertsym", fi.ErrInvalid, fmt.Sprintf("%d nodes and %d services: both must be positive, and not more than %d addresses", nodes, services, maxSymmetric))
	}
	var out []fi.Addr
	for i := range nodes {
		host, err := countUp(node, i)
		if err != nil {
			return out, av.fail("av_insertsym", fi.ErrInvalid, err.Error())
		}
		for j := range services {
			if err := ctx.Err(); err != nil {
				return out, av.fail("av_insertsym", err, "")
			}
			svc, err := countUp(service, j)
			if err != nil {
				return out, av.fail("av_insertsym", fi.ErrInvalid, err.Error())
			}
			a, err := av.InsertSvc(ctx, host, svc, flags)
			if err != nil {
				return out, err
			}
			out = append(out, a)
		}
	}
	return out, nil
}

// maxSymmetric is how many addresses one call makes at most.
const maxSymmetric = 1 << 20

// countUp adds n to the number that a name ends in, or to an IP address.
func countUp(name string, n int) (string, error) {
	if n == 0 {
		return name, nil
	}
	if ip, err := netip.ParseAddr(name); err == nil {
		b := ip.AsSlice()
		for i := len(b) - 1; i >= 0; i-- { // n, byte by byte with the carry
			n += int(b[i])
			b[i], n = byte(n), n>>8
		}
		if n > 0 {
			return "", fmt.Errorf("%q cannot be counted up that far", name)
		}
		ip, _ = netip.AddrFromSlice(b)
		return ip.String(), nil
	}
	digits := len(name)
	for digits > 0 && name[digits-1] >= '0' && name[digits-1] <= '9' {
		digits--
	}
	v, err := strconv.ParseUint(name[digits:], 10, 63)
	if err != nil {
		return "", fmt.Errorf("%q does not end in a number that can be counted up", name)
	}
	s := strconv.FormatUint(v+uint64(n), 10)
	if pad := len(name) - digits - len(s); pad > 0 {
		s = strings.Repeat("0", pad) + s
	}
	return name[:digits] + s, nil
}

// Lookup gives a peer's address (fi_av_lookup); a copy.
//
// Errors: fi.ErrInvalid for a name that is not in use.
func (av *AV) Lookup(a fi.Addr) ([]byte, error) {
	if err := av.open("av_lookup"); err != nil {
		return nil, err
	}
	if av.shared != nil {
		av.domain.eng.Polled() // what another process has changed comes with polls
	}
	raw, ok := av.v.Lookup(av.ctx.place(a))
	if !ok {
		return nil, av.fail("av_lookup", fi.ErrInvalid, unused(a))
	}
	return append([]byte{}, av.unkeyed(raw)...), nil
}

func unused(a fi.Addr) string {
	return fmt.Sprintf("address %d is not in use: give one that Insert gave and that was not removed", a)
}

// Remove takes names out (fi_av_remove). Operations in flight to them may end in error; their addresses may be inserted
// again. All names that are in use are removed, also when others are not.
//
// Keys are removed, too, by their numbers (FI_AUTH_KEY in C), when no endpoint that was enabled with one is open and no
// address is under it.
//
// Errors: fi.ErrInvalid for a name that is not in use, fi.ErrBusy for a key that is.
func (av *AV) Remove(addrs []fi.Addr) error {
	if err := av.changeable("av_remove"); err != nil {
		return err
	}
	var errs []error
	for _, a := range addrs {
		if av.keyer != nil && driver.IsKey(a) {
			if err := av.v.RemoveKey(a); err != nil {
				errs = append(errs, av.fail("av_remove", err, fmt.Sprintf("key %#x is not in use, or it is by endpoints or addresses: close and remove those first", uint64(a))))
			}
			continue
		}
		if err := av.each(a, av.remove); err != nil {
			errs = append(errs, av.fail("av_remove", err, unused(a)))
		}
	}
	return errors.Join(errs...)
}

// StrAddr gives an address as text (fi_av_straddr).
func (av *AV) StrAddr(raw []byte) string { return av.domain.drv.FormatAddr(raw) }

// SetUserID sets what completions report for a sender (fi_av_set_user_id); with the number of a key (FI_AUTH_KEY in C) what
// those in error report for unknown senders that have come with it.
//
// Errors: fi.ErrNoSys when the vector was not opened with fi.AVUserID, fi.ErrInvalid for a name that is not in use.
func (av *AV) SetUserID(a, user fi.Addr) error {
	if err := av.open("av_set_user_id"); err != nil {
		return err
	}
	if !av.userID {
		return av.fail("av_set_user_id", fi.ErrNoSys, "open the vector with fi.AVUserID")
	}
	if av.keyer != nil && driver.IsKey(a) {
		return av.fail("av_set_user_id", av.v.SetKeyUserID(a, user), unused(a))
	}
	return av.fail("av_set_user_id", av.setUserID(a, user), unused(a))
}

func (av *AV) setUserID(a, user fi.Addr) error {
	return av.each(a, func(at fi.Addr) error { return av.v.SetUserID(at, user) })
}

// Close releases the vector (fi_close). fi.ErrBusy while it is bound; closing twice does nothing.
func (av *AV) Close() error {
	done, err := av.beginClose()
	if done || err != nil {
		return err
	}
	av.unshare()
	av.domain.totals.drop(av)
	av.endClose()
	return nil
}
