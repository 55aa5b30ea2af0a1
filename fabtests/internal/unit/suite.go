package unit

import (
	"errors"
	"fmt"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
)

// test is one check. It returns nil, an error, or one of skip and unsupported.
type test struct {
	name, desc string
	run        func() error
}

// notRun is why a test was left out.
type notRun struct {
	how, why string
}

// Error gives both.
func (n *notRun) Error() string { return n.how + ": " + n.why }

// unsupportedFeature is how of a test that was left out for want of a feature.
const unsupportedFeature = "requires unsupported feature"

// skip leaves a test out.
func skip(format string, args ...any) error {
	return &notRun{"skipped because", fmt.Sprintf(format, args...)}
}

// unsupported leaves a test out for want of a feature.
func unsupported(format string, args ...any) error {
	return &notRun{unsupportedFeature, fmt.Sprintf(format, args...)}
}

// errFailed is the result of a program of which tests have failed.
var errFailed = errors.New("tests failed")

// failedTests are their errors, each with the test's name; its exit status is 1.
type failedTests []error

// Error tells how many, and why the first.
func (f failedTests) Error() string {
	return fmt.Sprintf("%d tests failed, the first of them %v", len(f), f[0])
}

// Unwrap gives errFailed.
func (f failedTests) Unwrap() error { return errFailed }

// ExitCode is 1.
func (f failedTests) ExitCode() int { return 1 }

// runTests runs tests and prints how each went; those that failed come back.
func runTests(env *scenario.Env, tests []test) (failed failedTests) {
	for _, t := range tests {
		fmt.Fprintf(env.Out, "Running %s [%s]...", t.name, t.desc)
		err := t.run()
		switch n, left := errors.AsType[*notRun](err); {
		case err == nil:
			fmt.Fprintln(env.Out, "PASS!")
		case left:
			fmt.Fprintf(env.Out, "%s: %s\n", n.how, n.why)
		default:
			fmt.Fprintf(env.Out, "FAIL: %v\n", err)
			failed = append(failed, fmt.Errorf("%s: %w", t.name, err))
		}
	}
	return failed
}

// summary prints the end of a program.
func summary(env *scenario.Env, failed failedTests) error {
	if len(failed) == 0 {
		fmt.Fprintln(env.Out, "Summary: all tests passed")
		return nil
	}
	fmt.Fprintf(env.Out, "Summary: %d tests failed\n", len(failed))
	return failed
}

// anyMode is what unit tests can live with: everything.
const (
	anyMode   = ^fi.Mode(0)
	anyMRMode = ^(fi.MRModeBasic | fi.MRModeScalable)
)

// hints ask for what the options name and nothing else.
func hints(o *options.Options) *fi.Hints {
	return &fi.Hints{
		Mode:   anyMode,
		EP:     &fi.EPAttr{Type: o.AnyEPType()},
		Domain: &fi.DomainAttr{Name: o.Domain, Mode: anyMode, MRMode: anyMRMode},
		Fabric: &fi.FabricAttr{Name: o.Fabric, ProvName: o.Provider},
	}
}

// objects are a fabric and a domain.
type objects struct {
	info   *fi.Info
	fabric *fabric.Fabric
	domain *fabric.Domain
}

// openDomain opens what hints find first.
func openDomain(env *scenario.Env, h *fi.Hints, opts ...fabric.Option) (*objects, error) {
	infos, err := fabric.GetInfo(env.Ctx, h, opts...)
	if err != nil {
		return nil, session.NotOffered(fail.Call("fi_getinfo", err), env.Opt)
	}
	x := &objects{info: infos[0]}
	if x.fabric, err = fabric.Open(x.info); err != nil {
		return nil, fail.Call("fi_fabric", err)
	}
	if x.domain, err = x.fabric.OpenDomain(x.info); err != nil {
		x.fabric.Close() //nolint:errcheck // the first error is the one to see
		return nil, fail.Call("fi_domain", err)
	}
	return x, nil
}

// close closes both, and is where objects that were left open show.
func (x *objects) close() error {
	if err := x.domain.Close(); err != nil {
		return fail.Call("fi_close", err)
	}
	return fail.Call("fi_close", x.fabric.Close())
}

// program runs the tests of one domain.
func program(env *scenario.Env, title string, tests func(*objects) []test) error {
	x, err := openDomain(env, hints(env.Opt))
	if err != nil {
		return err
	}
	fmt.Fprintf(env.Out, "Testing %s on fabric %s\n", title, x.info.Fabric.Name)
	err = summary(env, runTests(env, tests(x)))
	if closed := x.close(); err == nil {
		err = closed
	}
	return err
}
