package runner

import (
	"time"

	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/internal/cfabtests"
)

// Side is who C's programs are in a run with them.
type Side string

// Sides of Config.PeerSide.
const (
	ServerSide Side = "server"
	ClientSide Side = "client"
	BothSides  Side = "both" // one after the other
)

// Config is what a run is made of.
type Config struct {
	Program string // the path of this program
	// Parse reads the words of a scenario's command line, its name first. The scenario is nil when this program has none of
	// that name.
	Parse func(words []string) (*scenario.Scenario, *options.Options, []string, error)

	Sets      []string // names of Sets
	Providers []string
	Exclude   []Pattern
	Negative  bool // with the tests that must fail
	Strict    bool // what is not offered is a failure
	Limit     time.Duration
	Jobs      int   // tests at a time
	Cores     []int // processors for them, two for each job; nil: no pinning

	Delivery bool // -U for every test of two sides
	OOB      bool // addresses are exchanged over TCP
	Fork     bool // each side starts a child
	Env      []string
	GoodAddr string
	Ubertest string // the configuration of ubertest; empty: ours of the set
	Server   Host
	Client   Host

	Remote bool     // Server and Client are other hosts
	SSH    []string // the command that reaches them
	Folder string   // of this program there; empty: its path finds it

	Peer     *cfabtests.Programs // the other side is of C; nil: ours
	PeerSide Side
}

// Host is where one side of a test runs.
type Host struct {
	Name  string   // for ssh
	Iface string   // its address for the fabric; empty: Name, or the loopback
	Args  []string // more options of its programs
}

// loopback is where all sides on this machine find each other.
const loopback = "127.0.0.1"

// address is where its peers find it.
func (h *Host) address() string {
	switch {
	case h.Iface != "":
		return h.Iface
	case h.Name != "":
		return h.Name
	}
	return loopback
}
