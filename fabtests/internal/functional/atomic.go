package functional

import (
	"fmt"
	"strings"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/perf"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/cli"
)

// atomicChoice is what rdm_atomic shall do.
type atomicChoice struct {
	ops   []fi.AtomicOp
	types []fi.Datatype
	kinds string // "": that of libfabric's program; base, fetch, compare, all
}

// choices keeps the choice with the Options that it was parsed into: Op holds "op/type/kind".
func atomicOptions(o *options.Options) []cli.Option {
	part := func(i int) func(string) error {
		return func(v string) error {
			parts := append(strings.Split(o.Op, "/"), "", "", "")[:3]
			parts[i] = v
			o.Op = strings.Join(parts, "/")
			_, err := parseAtomicChoice(o.Op)
			return err
		}
	}
	return []cli.Option{
		{Short: 'o', Long: "op", Arg: "OP", Help: "all, min, max, sum, prod, lor, land, bor, band, lxor, bxor, read, write, cswap, cswap_ne, …, mswap, diff",
			Values: append([]string{"all"}, opNames()...), Set: part(0)},
		{Short: 'z', Long: "datatype", Arg: "TYPE", Help: "all, int8, uint8, … uint128, float, double, float_complex, float16, …",
			Values: append([]string{"all"}, typeNames()...), Set: part(1)},
		{Long: "kind", Arg: "KIND", Help: "base, fetch, compare or all (one for each operation, as libfabric's program)",
			Values: []string{"base", "fetch", "compare", "all"}, Set: part(2)},
	}
}

func opNames() []string {
	var names []string
	for op := fi.AtomicMin; op <= fi.AtomicDiff; op++ {
		n := strings.ToLower(strings.TrimPrefix(op.String(), "FI_"))
		names = append(names, strings.TrimPrefix(n, "atomic_"))
	}
	return names
}

func typeNames() []string {
	var names []string
	for t := fi.TypeInt8; t <= fi.TypeFloat8E5M2; t++ {
		names = append(names, strings.ToLower(strings.TrimPrefix(t.String(), "FI_")))
	}
	return names
}

// parseAtomicChoice reads "op/type/kind"; empty parts and "all" mean everything.
func parseAtomicChoice(text string) (*atomicChoice, error) {
	parts := append(strings.Split(strings.ToLower(text), "/"), "", "", "")
	c := &atomicChoice{kinds: parts[2]}
	choose := func(word, what string, names []string) (int, error) {
		if word == "" || word == "all" {
			return -1, nil
		}
		for i, n := range names {
			if n == strings.TrimPrefix(word, "fi_") {
				return i, nil
			}
		}
		err := &cli.UsageError{Text: fmt.Sprintf("no atomic %s %q", what, word)}
		if near := fi.Suggest(word, names); near != "" {
			err.Hint = "did you mean " + near + "?"
		}
		return 0, err
	}
	op, err := choose(parts[0], "operation", opNames())
	if err != nil {
		return nil, err
	}
	t, err := choose(parts[1], "data type", typeNames())
	if err != nil {
		return nil, err
	}
	switch c.kinds {
	case "", "base", "fetch", "compare", "all":
	default:
		return nil, options.Bad(c.kinds, "base, fetch, compare or all")
	}
	lastOp, lastType := fi.AtomicMSwap, fi.TypeUint128 // what a C program runs through
	if c.kinds == "all" {
		lastOp, lastType = fi.AtomicDiff, fi.TypeFloat8E5M2
	}
	if op >= 0 {
		c.ops = []fi.AtomicOp{fi.AtomicOp(op)}
	} else {
		for o := fi.AtomicMin; o <= lastOp; o++ {
			c.ops = append(c.ops, o)
		}
	}
	if t >= 0 {
		c.types = []fi.Datatype{fi.Datatype(t)}
	} else {
		for d := fi.TypeInt8; d <= lastType; d++ {
			c.types = append(c.types, d)
		}
	}
	return c, nil
}

// kindsOf lists the classes in which an operation is run.
func (c *atomicChoice) kindsOf(op fi.AtomicOp) []fi.AtomicKind {
	switch c.kinds {
	case "base":
		return []fi.AtomicKind{fi.AtomicBase}
	case "fetch":
		return []fi.AtomicKind{fi.AtomicFetch}
	case "compare":
		return []fi.AtomicKind{fi.AtomicCompare}
	case "all":
		return []fi.AtomicKind{fi.AtomicBase, fi.AtomicFetch, fi.AtomicCompare}
	}
	switch {
	case op == fi.AtomicRead:
		return []fi.AtomicKind{fi.AtomicFetch}
	case op >= fi.AtomicCSwap && op <= fi.AtomicMSwap:
		return []fi.AtomicKind{fi.AtomicCompare}
	}
	return []fi.AtomicKind{fi.AtomicBase}
}

// runAtomic runs operations on data types, from both sides on each other's memory, and measures them.
func runAtomic(env *scenario.Env) error {
	c, err := parseAtomicChoice(env.Opt.Op)
	if err != nil {
		return &fail.Usage{Text: "rdm_atomic: " + err.Error(), Next: "fabtests rdm_atomic --help"}
	}
	s, err := session.Open(env, session.Need{Caps: fi.CapMsg | fi.CapAtomic, Size: session.CtrlSize})
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // Finish has closed it when all went well
	if err := s.ExchangeKeys(); err != nil {
		return err
	}
	n := s.Opt.Iterations
	if n == 0 {
		n = 1000
	}
	for _, op := range c.ops {
		for _, dt := range c.types {
			for _, kind := range c.kindsOf(op) {
				a := newAtomicRun(s, kind, op, dt)
				if err := a.measure(env, n, c.kinds); err != nil {
					return err
				}
				if err := s.Sync(); err != nil {
					return err
				}
			}
		}
	}
	if err := s.Sync(); err != nil {
		return err
	}
	return s.Finish()
}

// measure runs one operation n times. One that is not supported is said so and is no failure, unless it was asked for
// in all classes, where most are not valid.
func (a *atomicRun) measure(env *scenario.Env, n int, kinds string) error {
	if err := a.valid(); err != nil {
		if kinds != "all" && (a.s.Client || env.Opt.Both || !env.Opt.Child.On) { // once on a terminal
			fmt.Fprintf(env.Err, "Provider doesn't support %v atomic operation on %v\n", a.op, a.dt)
		}
		return nil
	}
	s := a.s
	if s.Opt.OneWay && !s.Client {
		return nil
	}
	s.Start()
	for range n {
		if err := a.once(); err != nil {
			fmt.Fprintf(env.Err, "Failed atomic op %v with datatype %v\n", a.op, a.dt)
			return err
		}
	}
	s.Stop()
	name := fmt.Sprintf("%v_%v_lat", a.dt, a.op)
	if a.kind != (&atomicChoice{}).kindsOf(a.op)[0] {
		name = fmt.Sprintf("%v_%v_%s_lat", a.dt, a.op, map[fi.AtomicKind]string{fi.AtomicBase: "base", fi.AtomicFetch: "fetch", fi.AtomicCompare: "compare"}[a.kind])
	}
	env.Report.Row(perf.Row{Name: name, Size: a.dt.Size(), Iterations: n, PerIter: 1, Elapsed: s.Elapsed})
	return nil
}
