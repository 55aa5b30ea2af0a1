package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/local"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/perf"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/topo"
)

// defaultStarts is how often a benchmark starts its processes, unless --starts says otherwise.
const defaultStarts = 3

// scenario parses the options of a scenario and runs it the way they say.
func (p *program) scenario(s *scenario.Scenario, args []string) error {
	o := options.New()
	var help bool
	cmd := command(s, o, &help)
	operands, err := cmd.Parse(options.FillOptional(args))
	if err != nil {
		return usage(s.Name, err)
	}
	if help {
		return cmd.Help(p.out)
	}
	if s.EPType != fi.EPUnspec {
		o.EPType = s.EPType
	}
	if err := o.CheckCounts(); err != nil {
		return &fail.Usage{Text: s.Name + ": " + err.Error(), Next: "fabtests " + s.Name + " -S l:8,64k -I l:1000,100"}
	}
	if o.Child, err = local.ChildOf(); err != nil {
		return err
	}
	if err := place(s, o, operands); err != nil {
		return err
	}
	if s.Settle != nil {
		if err := s.Settle(o); err != nil {
			return err
		}
	}
	if !o.Child.On {
		if err := local.CheckCores(topo.New(os.DirFS("/")), s, o); err != nil {
			return err
		}
	}
	run := p.side
	if o.Local && !o.Child.On {
		run = p.local
	}
	err = run(s, o, args)
	if o.Debug && err != nil {
		fmt.Fprintf(p.err, "fabtests: %v\nfabtests: process %d waits for a debugger; Ctrl-C ends it\n", err, os.Getpid())
		<-p.ctx.Done()
	}
	return expected(o, err)
}

// place checks who runs where.
func place(s *scenario.Scenario, o *options.Options, operands []string) error {
	if o.Child.On {
		o.Local = false // its parent runs both sides
	}
	bad := func(text, next string) error {
		return &fail.Usage{Text: s.Name + ": " + text, Next: "fabtests " + s.Name + next}
	}
	switch {
	case len(operands) > 1 && s.Address != "":
		return bad("one address, not "+strings.Join(operands, " "), " --help")
	case len(operands) > 1:
		return bad("one server, not "+strings.Join(operands, " "), " --help")
	case len(operands) == 1 && s.Address != "":
		o.Server, o.Local = operands[0], false
	case len(operands) == 1 && s.Sides != scenario.Pair:
		return bad("this runs on one machine and takes no server", "")
	case len(operands) == 1 && o.Local:
		return bad("--local runs the server, too: no name of one", " --local")
	case len(operands) == 1:
		o.Server = operands[0]
	case s.Kind == scenario.Figure, s.Sides == scenario.Group && !s.OneByOne:
		o.Local = true
	case s.Sides == scenario.Alone:
		o.Local = false
	}
	return nil
}

// side runs one side in this process.
func (p *program) side(s *scenario.Scenario, o *options.Options, _ []string) error {
	if s.Sides == scenario.Pair && o.Provider == local.InProcess && !o.Child.On {
		return &fail.Hint{Err: fail.Call("fi_getinfo", &fi.Error{Op: "getinfo", Provider: o.Provider, Err: fi.ErrNoData,
			Hint: "it reaches its own process only: another one would not find us"}), Next: "fabtests " + s.Name + " --local -p " + o.Provider}
	}
	if len(o.PinCore) > 0 {
		runtime.GOMAXPROCS(max(2, runtime.GOMAXPROCS(0))) // else the runtime follows the pinning down to one
		if err := local.PinTo(o.PinCore); err != nil {
			if !o.Child.On {
				return &fail.Hint{Err: fail.Call("pin", err), Next: "fabtests " + s.Name + " without --pin-core"}
			}
			fmt.Fprintf(p.err, "fabtests: cannot pin to processors %v: %v\n", o.PinCore, err)
		}
	}
	if o.Road != "" {
		os.Setenv("FI_SHM_ROAD", o.Road) //nolint:errcheck // a plain name
	}
	env := &scenario.Env{Ctx: p.ctx, Opt: o, Client: o.Server != "", Rank: o.Child.Rank, Out: p.out, Err: p.err, Ready: func() {}}
	switch {
	case o.Child.On:
		env.Ready, env.Report = local.Ready(p.out), local.Rows(p.out)
	default:
		if p.supervised {
			env.Ready = local.Ready(p.out)
		}
		src := p.source(s, o, o.Provider, 1, strings.Trim(fmt.Sprint(o.PinCore), "[]"))
		env.Report = p.reporter(s, o, src)
	}
	for range o.Connections {
		if err := s.Run(env); err != nil {
			return err
		}
		if env.Client {
			break
		}
	}
	if k, ok := env.Kept.(interface{ Discard() error }); ok {
		return k.Discard()
	}
	return nil
}

// local runs all sides, several times for a benchmark.
func (p *program) local(s *scenario.Scenario, o *options.Options, args []string) error {
	provider, err := local.ChooseProvider(p.ctx, s, o)
	if err != nil {
		return err
	}
	job := &local.Job{Scenario: s, Opt: o, Args: childArgs(args), Provider: provider, Count: o.Procs,
		Command: append([]string{"fabtests"}, os.Args[1:]...), Out: p.out, Err: p.err}
	starts := o.Starts
	if starts == 0 {
		starts = 1
		if s.Kind == scenario.Benchmark || s.Kind == scenario.Figure {
			starts = defaultStarts
		}
	}
	report := p.reporter(s, o, p.source(s, o, provider, starts, job.Pinned()))
	if starts == 1 {
		return local.Run(p.ctx, job, report.Row)
	}
	var best perf.Best
	for range starts {
		if err := local.Run(p.ctx, job, best.Add); err != nil {
			return err
		}
	}
	for _, r := range best.Rows() {
		report.Row(r)
	}
	return nil
}

// childArgs are the arguments that a child gets: those of the parent up to the end of options.
func childArgs(args []string) []string {
	for i, a := range args {
		if a == "--" {
			return args[:i]
		}
	}
	return args
}

// source describes the measurement.
func (p *program) source(s *scenario.Scenario, o *options.Options, provider string, starts int, pinned string) perf.Source {
	facts := perf.Facts()
	if o.Local && facts.GOMAXPROCS < 2 {
		facts.GOMAXPROCS = 2 // in the processes that measure
	}
	facts.Pinned = pinned
	facts.Settings = settings(s, o, provider, starts)
	return perf.Source{Argv: append([]string{"fabtests"}, os.Args[1:]...), Scenario: s.Name, Provider: provider, Starts: starts, Machine: facts}
}

// settings are the choices that matter for a figure.
func settings(s *scenario.Scenario, o *options.Options, provider string, starts int) string {
	var words []string
	if !s.NoInfo {
		if provider != "" {
			words = append(words, provider)
		}
		words = append(words, o.Threading.String())
		if o.DataProgress != 0 {
			words = append(words, o.DataProgress.String())
		}
		for _, w := range []struct {
			on   bool
			text string
		}{{o.Road != "" && provider == "shm", "road " + o.Road}, {o.Alloc, "mr.Alloc"}, {o.Touch, "touch"}, {o.Verify, "verify"}} {
			if w.on {
				words = append(words, w.text)
			}
		}
	}
	if provider == "tcp" || s.NoInfo && o.Over == "socket" || o.Over == "net" {
		c := systemControl()
		if provider == "tcp" {
			near := o.Local || slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, o.Server)
			c = congestion(c, os.Getenv("FI_TCP_CONGESTION"), near)
		}
		if c != "" {
			words = append(words, "congestion control "+c)
		}
	}
	if starts > 1 {
		words = append(words, fmt.Sprintf("best of %d starts", starts))
	}
	return strings.Join(words, ", ")
}

// systemControl is the congestion control that sockets begin with here, on which the figures of large messages depend.
func systemControl() string {
	b, err := os.ReadFile("/proc/sys/net/ipv4/tcp_congestion_control")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// congestion is the control of the connections of provider tcp, with that of the system where it is another; near tells that
// the peer is on this host, where one that paces is replaced (FI_TCP_CONGESTION).
func congestion(system, set string, near bool) string {
	switch {
	case system == "":
		return ""
	case set == "system":
	case set != "" && set != system:
		return set + " (FI_TCP_CONGESTION, in place of " + system + ")"
	case set == "" && near && system != "reno" && system != "cubic":
		return "reno (within this host, in place of " + system + ")"
	}
	return system
}

// reporter prints rows; the facts of the machine go to standard error before them.
func (p *program) reporter(s *scenario.Scenario, o *options.Options, src perf.Source) perf.Reporter {
	f := perf.Human
	switch {
	case o.JSON:
		f = perf.JSON
	case o.Machine:
		f = perf.Machine
	}
	r := perf.NewReporter(p.out, f, src)
	if o.JSON || s.Kind != scenario.Benchmark && s.Kind != scenario.Figure {
		return r
	}
	told := false
	return perf.Func(func(row perf.Row) {
		if !told {
			told = true
			fmt.Fprintf(p.err, "# %v\n", src.Machine)
		}
		r.Row(row)
	})
}

// expected turns the error that --expect-error names into success, and everything else into a failure.
func expected(o *options.Options, err error) error {
	if o.ExpectErr == 0 || o.Child.On {
		return err
	}
	if code := fail.ExitCode(err); code == int(o.ExpectErr) || err != nil && fail.Errno(err) == o.ExpectErr {
		return nil
	}
	if err == nil {
		return fmt.Errorf("the run succeeded, %v was expected", o.ExpectErr)
	}
	return err
}
