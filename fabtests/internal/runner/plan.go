package runner

import (
	"slices"
	"strings"

	"github.com/gofabric/gofabric/fabtests/internal/local"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/ubertest"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/cfabtests"
)

// Test is one run of one scenario.
type Test struct {
	Set      string
	Provider string
	Name     string   // of the scenario
	Args     []string // its options, without those that say where and over what
	Negative bool     // it must fail: its host does not exist
	CServes  bool     // the server is C's
	CJoins   bool     // the client is

	scenario *scenario.Scenario
	opt      *options.Options
	env      []string // variables of its processes (-E of the run)
	oob      bool     // its sides exchange addresses over TCP
	apart    bool     // no one command is both sides: they are on other hosts, have other options, or one is of C
	more     []string // options of both sides that come from those of the run
	verdict  Verdict  // that is known before it runs, with reason
	reason   string
}

// Title is the line of the table: the command of libfabric's script.
func (t *Test) Title() string {
	s := strings.Join(append([]string{"fi_" + t.Name}, t.Args...), " ")
	switch {
	case t.CServes:
		s += " [C serves]"
	case t.CJoins:
		s += " [C joins]"
	}
	return s
}

// Runner runs tests.
type Runner struct {
	Config
	offers map[string]string // of needs that were asked for
}

// New makes a Runner.
func New(c Config) *Runner { return &Runner{Config: c, offers: map[string]string{}} }

// Plan lists the tests of one provider, in the order of the table. An error is one of the table of sets itself, or of the
// options that are added to its lines.
func (r *Runner) Plan(provider string) ([]*Test, error) {
	var plan []*Test
	for _, set := range resolve(r.Sets) {
		for _, l := range lines {
			if l.set != set {
				continue
			}
			for _, run := range l.runs {
				tests, err := r.expand(set, provider, run)
				if err != nil {
					return nil, err
				}
				plan = append(plan, tests...)
			}
		}
	}
	return plan, nil
}

// expand makes tests of a line.
func (r *Runner) expand(set, provider, line string) ([]*Test, error) {
	words := strings.Fields(line)
	t := &Test{Set: set, Provider: provider, Name: words[0], Args: r.fill(set, words[1:]), env: r.Env}
	t.Negative = slices.Contains(t.Args, badHost)
	if t.Negative && !r.Negative {
		return nil, nil
	}
	var err error
	if t.scenario, t.opt, _, err = r.Parse(append([]string{t.Name, "-p", provider}, t.Args...)); err != nil {
		return nil, err
	}
	if t.scenario != nil && t.scenario.Sides == scenario.Pair && !t.Negative {
		if r.Delivery && !slices.Contains(t.Args, "-U") && !t.configured() {
			t.Args = append(t.Args, "-U")
		}
		if r.Fork {
			t.Args = append(t.Args, "--fork")
		}
		if t.scenario, t.opt, _, err = r.Parse(append([]string{t.Name, "-p", provider}, t.Args...)); err != nil {
			return nil, err
		}
	}
	if t.scenario != nil && t.scenario.EPType != 0 { // whatever -e says
		t.opt.EPType = t.scenario.EPType
	}
	t.oob = r.OOB && t.Name != "pingpong" && t.scenario != nil && !t.scenario.OOB
	c := &r.Config
	t.apart = c.Remote || c.Peer != nil || c.Server.Iface != "" || c.Client.Iface != "" || !slices.Equal(c.Server.Args, c.Client.Args)
	if t.scenario != nil && t.scenario.Sides == scenario.Pair && !t.Negative && !t.apart {
		t.more = c.Server.Args
	}
	r.settle(t)
	if r.Peer == nil || t.verdict == Absent && t.scenario == nil {
		return []*Test{t}, nil
	}
	return r.withPeer(t), nil
}

// settle decides what need not run.
func (r *Runner) settle(t *Test) {
	switch pair := t.scenario != nil && t.scenario.Sides == scenario.Pair && !t.Negative; {
	case t.scenario == nil:
		t.verdict, t.reason = Absent, "not in this program"
	case t.configured() && r.Ubertest == "" && !ubertest.Has(t.Provider, r.configOf(t.Set)):
		t.verdict, t.reason = Absent, "no configuration for this provider (-u FILE)"
	case excluded(r.Exclude, t.Title()):
		t.verdict, t.reason = Excluded, "by -e or -f"
	case r.Peer != nil && !pair:
		t.verdict, t.reason = Absent, "no test of two sides"
	case r.Remote && t.scenario.Sides == scenario.Group:
		t.verdict, t.reason = Absent, "on one machine only"
	}
}

// withPeer makes a test for each role of C's program.
func (r *Runner) withPeer(t *Test) []*Test {
	if t.verdict == "" {
		if _, there := r.Peer.Path(t.Name); !there {
			t.verdict, t.reason = Absent, "not among the programs of C"
		}
	}
	if t.verdict == Absent {
		return []*Test{t}
	}
	var out []*Test
	for _, side := range []Side{ServerSide, ClientSide} {
		if r.PeerSide != side && r.PeerSide != BothSides {
			continue
		}
		role := *t
		role.CServes, role.CJoins = side == ServerSide, side == ClientSide
		if role.verdict == "" {
			if role.reason = r.Peer.NotPeer(t.Name, t.Args, t.Provider, cfabtests.Role(side)); role.reason == "" && t.Provider == "udp" && t.opt.EPType == fi.EPRDM {
				role.reason = "RDM endpoints over C's udp are those of ofi_rxd"
			}
			if role.reason != "" {
				role.verdict = Absent
			}
		}
		out = append(out, &role)
	}
	return out
}

// fill puts addresses and configurations into the options of a line.
func (r *Runner) fill(set string, words []string) []string {
	var out []string
	for _, w := range words {
		switch w {
		case serverAddress:
			w = r.Server.address()
		case goodAddress:
			if w = r.GoodAddr; w == "" {
				w = r.Server.address()
			}
		case goodOption:
			if r.GoodAddr == "" {
				continue
			}
			out = append(out, "-g")
			w = r.GoodAddr
		case configuration:
			w = r.configOf(set)
		}
		out = append(out, w)
	}
	return out
}

// inProcess tells whether both sides of a test are goroutines of one process.
func (t *Test) inProcess() bool { return t.Provider == local.InProcess }
