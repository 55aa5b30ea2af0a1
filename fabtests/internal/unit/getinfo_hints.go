package unit

import (
	"errors"
	"fmt"

	"github.com/gofabric/gofabric/fi"
)

// hintTests are those that set something in the hints.
func (g *getinfo) hintTests() []getinfoTest {
	tests := []getinfoTest{
		{name: "msg_ordering1", desc: "Test tx ordering bits supported are set", run: func() error {
			return g.combinations(orders, func(h *fi.Hints, bits uint64) { h.Tx.MsgOrder = fi.Order(bits) },
				func(i *fi.Info, bits uint64) error { return has("tx msg_order", i.Tx.MsgOrder, fi.Order(bits)) })
		}},
		{name: "msg_ordering2", desc: "Test rx ordering bits supported are set", run: func() error {
			return g.combinations(orders, func(h *fi.Hints, bits uint64) { h.Rx.MsgOrder = fi.Order(bits) },
				func(i *fi.Info, bits uint64) error { return has("rx msg_order", i.Rx.MsgOrder, fi.Order(bits)) })
		}},
	}
	tests = append(tests, g.orderingTests()...)
	return append(tests, []getinfoTest{
		{name: "neg1", desc: "Test with non-existent domain name", set: func(h *fi.Hints) error {
			h.Domain.Name = "invalid_domain"
			return nil
		}, want: fi.ErrNoData},
		{name: "mr_mode1", desc: "Test mr_mode bits", run: func() error {
			return g.combinations(mrModes, func(h *fi.Hints, bits uint64) { h.Domain.MRMode = fi.MRMode(bits) },
				func(i *fi.Info, bits uint64) error {
					return has("mr_mode of the hints", fi.MRMode(bits), i.Domain.MRMode)
				})
		}},
		{name: "progress1", desc: "Test data manual progress", set: wantProgress(fi.ProgressManual), check: isProgress(fi.ProgressManual)},
		{name: "progress2", desc: "Test data auto progress", set: wantProgress(fi.ProgressAuto), check: isProgress(fi.ProgressAuto)},
		{name: "caps1", desc: "Test capability bits supported are set", run: func() error {
			return g.combinations(primaryCaps, func(h *fi.Hints, bits uint64) { h.Caps = fi.Caps(bits) }, checkCaps)
		}},
		{name: "caps2", desc: "Test capability with no hints", noHints: true, check: func(i *fi.Info) error { return checkCaps(i, 0) }},
		{name: "caps3", desc: "Test domain capabilities", run: func() error {
			return g.combinations(domainCaps, func(h *fi.Hints, bits uint64) { h.Domain.Caps = fi.Caps(bits) },
				func(i *fi.Info, bits uint64) error { return has("domain caps", i.Domain.Caps, fi.Caps(bits)) })
		}},
		{name: "caps4", desc: "Test if either FI_LOCAL_COMM or FI_REMOTE_COMM is set", run: g.reach},
	}...)
}

// Bits of which all combinations are tried.
var (
	orders  = list(fi.OrderRAR, fi.OrderRAW, fi.OrderRAS, fi.OrderWAR, fi.OrderWAW, fi.OrderWAS, fi.OrderSAR, fi.OrderSAW, fi.OrderSAS)
	mrModes = list(fi.MRModeLocal, fi.MRModeRaw, fi.MRModeVirtAddr, fi.MRModeAllocated, fi.MRModeProvKey, fi.MRModeMMUNotify,
		fi.MRModeRMAEvent, fi.MRModeEndpoint)
	primaryCaps = list(fi.CapMsg, fi.CapRMA, fi.CapTagged, fi.CapAtomic, fi.CapNamedRxCtx, fi.CapDirectedRecv, fi.CapRead, fi.CapWrite,
		fi.CapRecv, fi.CapSend, fi.CapRemoteRead, fi.CapRemoteWrite)
	domainCaps = list(fi.CapLocalComm, fi.CapRemoteComm, fi.CapSharedAV)
)

func list[T ~uint64 | ~uint32](bits ...T) []uint64 {
	var out []uint64
	for _, b := range bits {
		out = append(out, uint64(b))
	}
	return out
}

// has tells which bits of want are not in have.
func has[T interface {
	~uint64 | ~uint32
	String() string
}](what string, have, want T) error {
	if missing := want &^ have; missing != 0 {
		return fmt.Errorf("%s %v without %v", what, have, missing)
	}
	return nil
}

// combinations asks with every combination of bits. No match is fine; a match must pass the check.
func (g *getinfo) combinations(bits []uint64, set func(*fi.Hints, uint64), check func(*fi.Info, uint64) error) error {
	passed, skipped := 0, 0
	for n := range 1 << len(bits) {
		var combo uint64
		for i, b := range bits {
			if n>>i&1 != 0 {
				combo |= b
			}
		}
		h := g.hints()
		set(h, combo)
		infos, err := g.query(h)
		if errors.Is(err, fi.ErrNoData) {
			skipped++
			continue
		}
		if err != nil {
			return fmt.Errorf("fi_getinfo: %w", err)
		}
		for _, i := range infos {
			if err := check(i, combo); err != nil {
				return fmt.Errorf("%s: %w", i.Fabric.ProvName, err)
			}
		}
		passed++
	}
	fmt.Fprintf(g.env.Out, "(passed)(skipped) (%d)(%d)/%d combinations\n", passed, skipped, 1<<len(bits))
	return nil
}

// checkCaps wants no primary capability that was not asked for, and all that were.
func checkCaps(i *fi.Info, bits uint64) error {
	caps := fi.Caps(bits)
	if caps != 0 {
		if extra := i.Caps & fi.PrimaryCaps &^ caps; extra != 0 {
			return fmt.Errorf("caps %v, of which nobody asked for %v", i.Caps, extra)
		}
		if err := has("caps", i.Caps, caps); err != nil {
			return err
		}
	}
	if err := has("caps of tx_attr among those of info", i.Caps, i.Tx.Caps); err != nil {
		return err
	}
	if err := has("caps of rx_attr among those of info", i.Caps, i.Rx.Caps); err != nil {
		return err
	}
	if err := has("transmit caps", fi.TxCaps, i.Tx.Caps); err != nil {
		return err
	}
	return has("receive caps", fi.RxCaps, i.Rx.Caps)
}

func wantProgress(p fi.Progress) func(*fi.Hints) error {
	return func(h *fi.Hints) error {
		h.Domain.Progress = p
		return nil
	}
}

func isProgress(p fi.Progress) func(*fi.Info) error {
	return func(i *fi.Info) error {
		if i.Domain.Progress != p {
			return fmt.Errorf("progress %v, expected %v", i.Domain.Progress, p)
		}
		return nil
	}
}

// reach wants one of the two capabilities that say how far peers may be.
func (g *getinfo) reach() error {
	for _, c := range []fi.Caps{fi.CapLocalComm, fi.CapRemoteComm} {
		h := g.hints()
		h.Caps |= c
		h.Domain.Caps |= c
		if infos, err := g.query(h); err == nil && infos[0].Caps&c != 0 && infos[0].Domain.Caps&c != 0 {
			return nil
		}
	}
	return errors.New("neither FI_LOCAL_COMM nor FI_REMOTE_COMM is set")
}

// orderingTests ask for the sizes up to which RMA is ordered: any, one that is offered, one that is not.
func (g *getinfo) orderingTests() []getinfoTest {
	var tests []getinfoTest
	var bad []getinfoTest
	for _, o := range []struct {
		name  string
		order fi.Order
		size  func(*fi.EPAttr) *uint64
	}{
		{"RAW", fi.OrderRAW, func(a *fi.EPAttr) *uint64 { return &a.MaxOrderRAWSize }},
		{"WAR", fi.OrderWAR, func(a *fi.EPAttr) *uint64 { return &a.MaxOrderWARSize }},
		{"WAW", fi.OrderWAW, func(a *fi.EPAttr) *uint64 { return &a.MaxOrderWAWSize }},
	} {
		lower := map[string]string{"RAW": "raw", "WAR": "war", "WAW": "waw"}[o.name]
		ask := func(h *fi.Hints) { h.Caps, h.Tx.MsgOrder, h.Rx.MsgOrder = fi.CapRMA, o.order, o.order }
		offered := func(h *fi.Hints) (uint64, error) {
			infos, err := g.query(h)
			if errors.Is(err, fi.ErrNoData) { // no promise was broken: none was made
				return 0, unsupported("no provider asked offers FI_ORDER_%s", o.name)
			}
			if err != nil {
				return 0, fmt.Errorf("fi_getinfo: %w", err)
			}
			return *o.size(&infos[0].EP), nil
		}
		var wanted uint64
		check := func(i *fi.Info) error {
			if n := *o.size(&i.EP); n == 0 || n < wanted {
				return fmt.Errorf("max_order_%s_size %d, wanted at least %d", lower, n, max(wanted, 1))
			}
			return nil
		}
		tests = append(tests,
			getinfoTest{name: lower + "_ordering1", desc: "Test rma " + o.name + " ordering size is set", set: func(h *fi.Hints) error {
				ask(h)
				_, err := offered(h)
				return err
			}, check: check},
			getinfoTest{name: lower + "_ordering2", desc: "Test rma " + o.name + " ordering size is set to hints", set: func(h *fi.Hints) error {
				ask(h)
				n, err := offered(h)
				if n > 0 {
					wanted = n - 1
					*o.size(h.EP) = wanted
				}
				return err
			}, check: check})
		bad = append(bad, getinfoTest{name: "bad_" + lower + "_ordering1", desc: "Test invalid rma " + o.name + " ordering size", set: func(h *fi.Hints) error {
			ask(h)
			n, err := offered(h)
			*o.size(h.EP) = n + 1
			return err
		}, want: fi.ErrNoData})
	}
	return append(tests, bad...)
}
