package unit

import (
	"errors"
	"fmt"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/cli"
)

func avOptions(o *options.Options) []cli.Option {
	return append(count(o, 'n', "addresses", "number of good addresses (4)", 4),
		cli.Option{Short: 'g', Long: "good", Arg: "ADDRESS", Help: "a good address, counted up -n times (made by the provider)", Set: options.Text(&o.Op)},
		cli.Option{Short: 'G', Long: "bad", Arg: "ADDRESS", Help: "a bad address", Set: options.Text(&o.OOBHost)})
}

// avTest is what the checks of address vectors share.
type avTest struct {
	env  *scenario.Env
	x    *objects
	good [][]byte
	bad  []byte
}

func runAV(env *scenario.Env) error {
	if t := env.Opt.EPType; t != fi.EPRDM && t != fi.EPDgram {
		return &fail.Usage{Text: "av_test: only FI_EP_RDM and FI_EP_DGRAM have address vectors", Next: "fabtests av_test -e rdm"}
	}
	var opts []fabric.Option
	if env.Opt.SrcAddr != "" {
		opts = append(opts, fabric.WithNode(env.Opt.SrcAddr, ""), fabric.WithFlags(fi.InfoSource))
	}
	x, err := openDomain(env, hints(env.Opt), opts...)
	if err != nil {
		return err
	}
	t := &avTest{env: env, x: x}
	fmt.Fprintf(env.Out, "Testing AVs on fabric %s\n", x.info.Fabric.Name)
	fmt.Fprintf(env.Out, "\nTesting with type = %v\n", fi.AVTable)
	err = t.addresses()
	if err == nil {
		failed := runTests(env, t.goodTests())
		if b := env.Opt.OOBHost; b != "" {
			t.bad = []byte(b)
			fmt.Fprintf(env.Out, "\nTesting with bad_address = %q\n", b)
			failed = append(failed, runTests(env, t.badTests())...)
		}
		t.bad = make([]byte, 64) // no address of any kind
		fmt.Fprintf(env.Out, "\nTesting with invalid address\n")
		failed = append(failed, runTests(env, t.badTests())...)
		fmt.Fprintln(env.Out)
		err = summary(env, failed)
	}
	if closed := x.close(); err == nil {
		err = closed
	}
	return err
}

func (t *avTest) goodTests() []test {
	return []test{
		{"av_open_close", "Test open and close AVs of varying sizes", t.openClose},
		{"av_good", "Test AV insert with good address", t.insertGood},
		{"av_null_fi_addr", "Test AV insert without specifying fi_addr", t.insertNil},
		{"av_insert_stages", "Test AV insert at various stages", t.insertStages},
		{"av_lookup_good", "Test AV lookup with good address", t.lookupGood},
		{"av_remove_good", "Test AV remove with good address", t.removeGood},
	}
}

func (t *avTest) badTests() []test {
	return []test{
		{"av_bad", "Test AV insert of bad address", t.insertBad},
		{"av_goodbad_vector", "Test AV insert of 1 good and 1 bad address", func() error { return t.insertMixed(0) }},
		{"av_goodbad_vector_sync_err", "Test AV insert of 1 good, 1 bad address using FI_SYNC_ERR", func() error { return t.insertMixed(fi.AVSyncErr) }},
		{"av_lookup_bad", "Test lookup of address not in AV after inserting good address", t.lookupBad},
		{"av_remove_bad", "Test AV remove with bad address", t.removeBad},
	}
}

// addresses makes the good addresses: names that the provider resolves, or those of -g counted up.
func (t *avTest) addresses() error {
	av, err := t.open(0)
	if err != nil {
		return err
	}
	defer av.Close() //nolint:errcheck // nothing is bound to it
	n := t.env.Opt.Window
	node, service := "localhost", "9228"
	if g := t.env.Opt.Op; g != "" {
		node = g
	}
	names, err := av.InsertSym(t.env.Ctx, node, 1, service, n, 0)
	if err != nil {
		return fail.Call("fi_av_insertsym", err)
	}
	for _, a := range names {
		raw, err := av.Lookup(a)
		if err != nil {
			return fail.Call("fi_av_lookup", err)
		}
		t.good = append(t.good, raw)
	}
	return nil
}

func (t *avTest) open(count int) (*fabric.AV, error) {
	av, err := t.x.domain.OpenAV(&fi.AVAttr{Type: fi.AVTable, Count: count})
	if err != nil {
		return nil, fmt.Errorf("fi_av_open(%v, %d): %w", fi.AVTable, count, err)
	}
	return av, nil
}

// with runs a check on a fresh vector that holds the good addresses.
func (t *avTest) with(check func(av *fabric.AV, names []fi.Addr) error) error {
	av, err := t.open(len(t.good))
	if err != nil {
		return err
	}
	defer av.Close() //nolint:errcheck // closed below when all went well
	names := make([]fi.Addr, len(t.good))
	n, err := av.Insert(t.good, names, 0)
	if err != nil || n != len(t.good) {
		return fmt.Errorf("fi_av_insert ret=%d, expected %d: %w", n, len(t.good), err)
	}
	for i, a := range names {
		if a != fi.Addr(i) {
			return fmt.Errorf("fi_addr[%d]=%d, expected %d", i, a, i)
		}
	}
	if err := check(av, names); err != nil {
		return err
	}
	return av.Close()
}

func (t *avTest) openClose() error {
	for i := range 17 {
		av, err := t.open(1 << i)
		if err != nil {
			return err
		}
		if err := av.Close(); err != nil {
			return fmt.Errorf("close(av): %w", err)
		}
	}
	return nil
}

func (t *avTest) insertGood() error { return t.with(func(*fabric.AV, []fi.Addr) error { return nil }) }

func (t *avTest) insertNil() error {
	av, err := t.open(1)
	if err != nil {
		return err
	}
	defer av.Close() //nolint:errcheck // nothing is bound to it
	if n, err := av.Insert(t.good[:1], nil, 0); err != nil || n != 1 {
		return fmt.Errorf("fi_av_insert ret=%d: %w", n, err)
	}
	if _, err := av.Lookup(0); err != nil {
		return fmt.Errorf("fi_av_lookup of the only address: %w", err)
	}
	return nil
}

// insertStages inserts before an endpoint is bound, and after.
func (t *avTest) insertStages() error {
	return t.with(func(av *fabric.AV, _ []fi.Addr) error {
		ep, err := t.x.domain.OpenEndpoint(t.x.info)
		if err != nil {
			return fmt.Errorf("fi_endpoint: %w", err)
		}
		defer ep.Close() //nolint:errcheck // closed below when all went well
		if err := ep.BindAV(av); err != nil {
			return fmt.Errorf("fi_ep_bind: %w", err)
		}
		out := make([]fi.Addr, len(t.good))
		if n, err := av.Insert(t.good, out, 0); err != nil || n != len(t.good) {
			return fmt.Errorf("fi_av_insert ret=%d: %w", n, err)
		}
		return ep.Close()
	})
}

func (t *avTest) lookupGood() error {
	return t.with(func(av *fabric.AV, names []fi.Addr) error {
		for i, a := range names {
			raw, err := av.Lookup(a)
			if err != nil {
				return fmt.Errorf("fi_av_lookup: %w", err)
			}
			if string(raw) != string(t.good[i]) {
				return fmt.Errorf("fi_av_lookup of %d gives %q, expected %q", a, raw, t.good[i])
			}
		}
		return nil
	})
}

func (t *avTest) removeGood() error {
	return t.with(func(av *fabric.AV, names []fi.Addr) error {
		for _, a := range names {
			if err := av.Remove([]fi.Addr{a}); err != nil {
				return fmt.Errorf("fi_av_remove: %w", err)
			}
		}
		return nil
	})
}

func (t *avTest) insertBad() error {
	av, err := t.open(1)
	if err != nil {
		return err
	}
	defer av.Close() //nolint:errcheck // nothing is bound to it
	out := []fi.Addr{0}
	n, err := av.Insert([][]byte{t.bad}, out, 0)
	switch {
	case n != 0 || err == nil:
		return fmt.Errorf("fi_av_insert ret=%d, should be 0", n)
	case out[0] != fi.AddrNotAvail:
		return errors.New("fi_addr != FI_ADDR_NOTAVAIL")
	}
	return nil
}

func (t *avTest) insertMixed(fl fi.AVFlags) error {
	av, err := t.open(2)
	if err != nil {
		return err
	}
	defer av.Close() //nolint:errcheck // nothing is bound to it
	out := []fi.Addr{fi.AddrNotAvail, 0}
	n, err := av.Insert([][]byte{t.good[0], t.bad}, out, fl)
	which, named := errors.AsType[*fabric.InsertError](err)
	switch {
	case n != 1:
		return fmt.Errorf("fi_av_insert ret=%d, should be 1", n)
	case out[0] == fi.AddrNotAvail:
		return errors.New("fi_addr[0] = FI_ADDR_NOTAVAIL")
	case out[1] != fi.AddrNotAvail:
		return errors.New("fi_addr[1] != FI_ADDR_NOTAVAIL")
	case !named || which.Index != 1:
		return fmt.Errorf("the error does not name address 1: %w", err)
	}
	return nil
}

// mustBeInvalid wants FI_EINVAL.
func mustBeInvalid(what string, err error) error {
	if !errors.Is(err, fi.ErrInvalid) {
		return fmt.Errorf("%s: %v, expected %v", what, err, fi.ErrInvalid) //nolint:errorlint // for people
	}
	return nil
}

func (t *avTest) lookupBad() error {
	return t.with(func(av *fabric.AV, names []fi.Addr) error {
		for _, a := range []fi.Addr{fi.Addr(len(names)), fi.Addr(len(names) + 32), 1<<64 - 2, fi.AddrNotAvail} {
			_, err := av.Lookup(a)
			if err := mustBeInvalid(fmt.Sprintf("fi_av_lookup of %d, which was not inserted", a), err); err != nil {
				return err
			}
		}
		if err := av.Remove(names[:1]); err != nil {
			return fmt.Errorf("fi_av_remove: %w", err)
		}
		_, err := av.Lookup(names[0])
		return mustBeInvalid("fi_av_lookup of removed addr", err)
	})
}

func (t *avTest) removeBad() error {
	return t.with(func(av *fabric.AV, names []fi.Addr) error {
		for _, a := range []fi.Addr{fi.Addr(len(names)), fi.Addr(len(names) + 32), 1<<64 - 2, fi.AddrNotAvail} {
			if err := mustBeInvalid(fmt.Sprintf("fi_av_remove of %d, which was not inserted", a), av.Remove([]fi.Addr{a})); err != nil {
				return err
			}
		}
		if err := av.Remove(names[:1]); err != nil {
			return fmt.Errorf("fi_av_remove: %w", err)
		}
		return mustBeInvalid("fi_av_remove of already removed addr", av.Remove(names))
	})
}
