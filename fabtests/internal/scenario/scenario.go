package scenario

import (
	"context"
	"io"
	"net"

	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/perf"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/cli"
)

// Kind groups scenarios in the list.
type Kind string

// Kinds.
const (
	Functional Kind = "Functional"
	Benchmark  Kind = "Benchmarks"
	Unit       Kind = "Unit tests (one process)"
	Regression Kind = "Regressions"
	Figure     Kind = "Figures of this machine and of the library"
)

// Sides says how many processes take part.
type Sides int

// Sides.
const (
	Alone Sides = iota // one
	Pair               // a server and a client
	Group              // --procs of them
)

// Scenario is one program.
type Scenario struct {
	Name     string
	Kind     Kind
	Sides    Sides
	Summary  string
	OOB      bool      // the sides need a TCP connection besides
	NoInfo   bool      // it uses no provider: nothing to choose, processes also where there is only mem
	EPType   fi.EPType // of its endpoints, whatever -e says; unset: what that says
	Ops      []string  // what -o may say, the default first; none: there is no -o, unless Options has one
	Address  string    // of one that runs Alone: what the address behind its options is for; empty: it takes none
	OneByOne bool      // the processes of a Group may also be started by hand
	Shared   int       // bytes of memory that the processes share; they get it as a descriptor

	// Options gives the scenario's own options and sets its defaults; nil for none.
	Options func(*options.Options) []cli.Option
	// Caps are the capabilities that a provider must have to be chosen.
	Caps func(*options.Options) fi.Caps
	// Hints adds what else it asks of getinfo, so that it is known beforehand whether it can run; nil for nothing.
	Hints func(*options.Options, *fi.Hints)
	// Settle completes options that depend on each other, and refuses those that make no sense together, once it is known
	// which side this is; nil for nothing.
	Settle func(*options.Options) error
	Run    func(*Env) error
}

// Env is one side of one run.
type Env struct {
	Ctx    context.Context // ends when the other side has failed or the user is tired
	Opt    *options.Options
	Client bool // else the server, or the only one
	Rank   int  // in a Group
	Out    io.Writer
	Err    io.Writer
	Report perf.Reporter
	Kept   any        // what a server leaves for its next client
	Ready  func()     // the server calls it when it can be reached
	Link   net.Conn   // to the other side, when it runs in this process and the scenario wants OOB; else nil. In a Group: of others to rank 0
	Links  []net.Conn // of rank 0 to the others of a Group, by their rank, as Link
}
