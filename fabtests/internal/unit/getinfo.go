package unit

import (
	"errors"
	"fmt"
	"os"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fi"
)

// getinfoTest is one question to getinfo and what is wrong with an answer.
type getinfoTest struct {
	name, desc string
	node       string
	service    string
	flags      fi.InfoFlags
	noHints    bool
	set        func(*fi.Hints) error
	check      func(*fi.Info) error
	want       fi.Errno
	run        func() error // instead of all that
}

// getinfo is what the tests share.
type getinfo struct {
	env *scenario.Env
}

func runGetInfo(env *scenario.Env) error {
	g := &getinfo{env}
	if env.Opt.Provider == "" {
		fmt.Fprint(env.Err, "Some tests give no hints, and look at every provider here; -p NAME looks at one.\n")
	}
	failed := runTests(env, g.tests(g.addressTests("no_hints")))
	failed = append(failed, runTests(env, g.tests(g.addressTests("")))...)
	failed = append(failed, runTests(env, g.tests(g.hintTests()))...)
	fmt.Fprintln(env.Out)
	return summary(env, failed)
}

func (g *getinfo) tests(list []getinfoTest) []test {
	var out []test
	for _, t := range list {
		run := t.run
		if run == nil {
			run = func() error { return g.ask(&t) }
		}
		out = append(out, test{"getinfo_" + t.name, t.desc, run})
	}
	return out
}

// hints are those of the options; tests change them.
func (g *getinfo) hints() *fi.Hints {
	h := hints(g.env.Opt)
	h.Tx, h.Rx = &fi.TxAttr{}, &fi.RxAttr{}
	return h
}

// query asks; with no hints FI_PROVIDER restricts to the provider under test.
func (g *getinfo) query(h *fi.Hints, opts ...fabric.Option) ([]*fi.Info, error) {
	if p := g.env.Opt.Provider; h == nil && p != "" {
		opts = append(opts, fabric.WithEnv(func(name string) (string, bool) {
			if name == "FI_PROVIDER" {
				return p, true
			}
			return os.LookupEnv(name)
		}))
	}
	return fabric.GetInfo(g.env.Ctx, h, opts...)
}

func (g *getinfo) ask(t *getinfoTest) error {
	var h *fi.Hints
	if !t.noHints {
		h = g.hints()
	}
	if t.set != nil {
		if err := t.set(h); err != nil {
			return err
		}
	}
	var opts []fabric.Option
	if t.node != "" || t.service != "" {
		opts = append(opts, fabric.WithNode(t.node, t.service))
	}
	if t.flags != 0 {
		opts = append(opts, fabric.WithFlags(t.flags))
	}
	infos, err := g.query(h, opts...)
	switch {
	case err != nil && t.want != 0 && errors.Is(err, t.want):
		return nil
	case err != nil:
		return fmt.Errorf("fi_getinfo: %w", err)
	case t.want != 0:
		return fmt.Errorf("fi_getinfo succeeded, expected %w", t.want)
	}
	for _, i := range infos {
		if t.check == nil {
			break
		}
		if err := t.check(i); err != nil {
			return fmt.Errorf("%s: %w", i.Fabric.ProvName, err)
		}
	}
	return nil
}

// addressTests ask by node and service; with a prefix without hints.
func (g *getinfo) addressTests(prefix string) []getinfoTest {
	o := g.env.Opt
	src, dst := o.SrcAddr, o.Server
	if src == "" {
		src = "localhost"
	}
	if dst == "" {
		dst = "localhost"
	}
	name := func(with string, n int) (string, string) {
		if prefix != "" {
			return fmt.Sprintf("%s%d", prefix, n), ", no hints"
		}
		return with, ""
	}
	var out []getinfoTest
	add := func(with string, desc string, t getinfoTest) {
		var suffix string
		t.name, suffix = name(with, len(out)+1)
		t.desc, t.noHints = desc+suffix, prefix != ""
		out = append(out, t)
	}
	add("src1", "Test with no node, service, or flags", getinfoTest{check: anyAddress})
	add("src2", "Test with node, no service, FI_SOURCE flag", getinfoTest{node: src, flags: fi.InfoSource, check: hasSource})
	add("src3", "Test with service, FI_SOURCE flag, no node", getinfoTest{service: o.SrcPort, flags: fi.InfoSource, check: hasSource})
	add("src4", "Test with node, service, FI_SOURCE flag", getinfoTest{node: src, service: o.SrcPort, flags: fi.InfoSource, check: hasSource})
	add("src_dest1", "Test with node, service", getinfoTest{node: dst, service: o.DstPort, check: hasDest})
	if prefix == "" {
		add("src_dest2", "Test API version", getinfoTest{check: func(i *fi.Info) error {
			if i.Fabric.APIVersion != fi.APIVersion {
				return fmt.Errorf("API version %v, expected %v", i.Fabric.APIVersion, fi.APIVersion)
			}
			return nil
		}})
	}
	return out
}

// anyAddress accepts an Info without a source: then the provider chooses when the endpoint is opened.
func anyAddress(i *fi.Info) error {
	if i.AddrFormat == fi.AddrFormatUnspec {
		return errors.New("no address format")
	}
	return nil
}

func hasSource(i *fi.Info) error {
	if len(i.SrcAddr) == 0 {
		return errors.New("source address not set")
	}
	return nil
}

func hasDest(i *fi.Info) error {
	if len(i.DestAddr) == 0 {
		return errors.New("destination address not set")
	}
	return nil
}
