package options

import (
	"time"

	"github.com/gofabric/gofabric/fi"
)

// Defaults that both sides of libfabric's programs share.
const (
	DefaultPort    = "9228"
	DefaultOOBPort = "3000"
)

// Wait is how a completion is waited for (-c).
type Wait int

// Ways to wait.
const (
	WaitSpin  Wait = iota // read again and again
	WaitSRead             // block in a read
	WaitFD                // block in the system's poll
	WaitYield             // yield the processor between reads
)

// Options is a parsed command line.
type Options struct {
	// Who talks to whom.
	SrcPort, DstPort   string
	SrcAddr, Server    string // Server is the operand: empty for the server itself
	OOBSync, OOBAddr   bool   // -b, -E
	OOBPort, OOBHost   string // -b or -E's value, -O
	Connections        int    // -C
	AVName             string
	Fabric, Domain     string
	Provider           string
	EPType             fi.EPType
	AddrFormat         fi.AddrFormat
	NoMRLocal          bool // -M mr_local
	Fork, HMEM, Prefix bool
	HMEMIface          fi.HMEMIface

	// What is done.
	Iterations int   // 0: chosen by size
	Counts     []int // iterations of each of Sizes; nil: Iterations
	Warmup     int
	Sizes      []int // nil: the default ones
	Window     int
	InjectSize int // -1: what the endpoint offers
	Counters   bool
	Wait       Wait
	Op         string // -o; "" for the scenario's default
	Group      string // multicast address and port
	Delivery   bool   // -U
	Verify     bool
	NoPrepost  bool
	Alias      bool // on an alias of the endpoint
	Align      bool

	// The domain.
	Threading       fi.Threading
	DataProgress    fi.Progress
	ControlProgress fi.Progress
	MaxMsgSize      int
	UseMore         bool
	NoRxCQData      bool
	SyncComp        fi.OpFlags
	PeerVersion     Version // of the C program on the other side; 0 when we have not been told

	// Ours.
	Local       bool
	Starts      int // 0: the scenario's default
	Touch       bool
	Pause       time.Duration
	Percentiles bool   // the time of each message, beside the mean
	Over        string // floor: what it is measured over
	Alloc       bool
	Road        string
	OneWay      bool
	Own         any // what the scenario's own options say; both sides may hold it at a time, to read
	Procs       int // sides of a Group
	Seed        uint64
	Round       int           // of a seed
	Steps       int           // of a phase of a round
	Time        time.Duration // for how long rounds begin
	OpsMask     string        // --ops of stress
	Unpinned    bool
	PinCore     []int
	Timeout     time.Duration // of each wait; 0: none
	ExpectErr   fi.Errno
	Debug       bool // --debug-assert

	// How it is shown.
	Machine, JSON, Verbose, Both bool

	Child Child // set by the process that starts us

	touched map[string]bool // options that were given
}

// Child is what a process that was started by another fabtests knows beyond its options.
type Child struct {
	On    bool // rows are printed raw, facts not at all, a server tells when it is ready
	Rank  int
	Count int // processes in all, for scenarios of more than two
}

// New gives the defaults.
func New() *Options {
	return &Options{
		SrcPort: DefaultPort, DstPort: DefaultPort, OOBPort: DefaultOOBPort, Connections: 1, EPType: fi.EPRDM,
		Warmup: 10, Window: 64, InjectSize: -1,
		Threading: fi.ThreadDomain, SyncComp: fi.OpDeliveryComplete,
		Procs: 4, Timeout: 120 * time.Second, touched: map[string]bool{},
	}
}

// Given tells whether an option was on the command line, by its long name.
func (o *Options) Given(long string) bool { return o.touched[long] }

// AnyEPType is the type of endpoints that was given, and any where none was: for programs that talk to nobody.
func (o *Options) AnyEPType() fi.EPType {
	if o.Given("ep-type") {
		return o.EPType
	}
	return fi.EPUnspec
}

// ProviderIs sets the provider as if it had been given.
func (o *Options) ProviderIs(name string) { o.Provider = name }

// MRMode are the registration modes that the programs can live with.
func (o *Options) MRMode() fi.MRMode {
	m := fi.MRModeLocal | fi.MRModeEndpoint | fi.MRModeVirtAddr | fi.MRModeAllocated | fi.MRModeProvKey | fi.MRModeRaw
	if o.NoMRLocal {
		m &^= fi.MRModeLocal
	}
	return m
}
