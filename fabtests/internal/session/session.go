package session

import (
	"errors"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/perf"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/osx"
	"github.com/gofabric/gofabric/mr"
)

// Need says what a scenario needs beyond what the options ask for.
type Need struct {
	Caps       fi.Caps
	Order      fi.Order
	CQDataSize int
	TxFlags    fi.OpFlags
	RxFlags    fi.OpFlags
	Counters   bool // completions by counters, whatever -t says
	RMAEvents  bool // a counter of what the peer does to our memory
	Windows    bool // a slot of the buffers for each message of a window
	Size       int  // the only transfer size; 0: those of the options
	OOB        bool // a TCP connection for addresses and synchronisation
	Events     bool // an event queue, for endpoints that are not connected, too
	OOBAddr    bool // a TCP connection for addresses only
	OOBSync    bool // a TCP connection for synchronisation
	LateOOB    bool // the scenario calls OpenOOB itself, when it can be reached
	ReadAV     bool // the address vector is the one that another process shares
	NoAddress  bool // the scenario finds its peer itself
	NoExchange bool // as NoAddress, but the client's Info has the server's address
	ManyPeers  bool // peers come and go: the end of one is not that of the run
	NoRecv     bool // no receive is posted
	NoRegion   bool // memory is not registered, unless the provider needs that
	Connects   bool // -e msg will do: the peer may also be found by a connection
	Remote     bool // the other side reads or writes a window of our buffers
	Endpoints  int  // how many; 0 means 1
	SharedRx   bool // receives are posted on a context that the endpoints share
	SharedTx   bool // the endpoints share a transmit context
	OneCQ      bool // one completion queue for transmits and receives
	TxCQSize   int  // entries of the completion queues; 0: what fits the endpoint
	RxCQSize   int
	TxSize     int // operations that an endpoint has room for; 0: any
	RxSize     int

	Source []byte // the endpoint's address; nil: what the options say

	// Before is called when all is open and the peer does not know us yet; nil for nothing.
	Before func(*Session) error
	// Undo closes what Before has made, when the rest is closed; nil for nothing. With connected endpoints both may be called
	// several times: a client that finds no server opens everything anew.
	Undo func() error

	pair bool // there is one peer; the run ends with it
}

// Session is one side. Exported fields may be used directly; those of the other completion kind are nil.
type Session struct {
	Opt    *options.Options
	Client bool
	Info   *fi.Info
	Domain *fabric.Domain
	EP     *fabric.Endpoint // that sends and receives; one of EPs
	EPs    []*fabric.Endpoint
	SRX    *fabric.SharedRx        // nil unless the need says so
	STX    *fabric.SharedTx        // the same
	EQ     *fabric.EQ              // of connected endpoints, and of those with collectives
	PEP    *fabric.PassiveEndpoint // of a server of connected endpoints
	AV     *fabric.AV              // of others
	TxCQ   *fabric.CQ
	RxCQ   *fabric.CQ
	TxCntr *fabric.Counter
	RxCntr *fabric.Counter
	RMA    *fabric.Counter // what the peer does to our memory
	MR     *fabric.MR
	Peer   fi.Addr
	From   fi.Addr   // the source that receives are posted for
	Remote mr.Remote // the peer's region

	Tx, Rx []byte // the buffers: slots of TxSize and RxSize bytes
	Slots  int
	Slot   int // bytes of one

	TxSeq, RxSeq   uint64 // posted so far
	TxDone, RxDone uint64 // completed so far

	env    *scenario.Env
	owner  *scenario.Env // as it was given to us
	kept   bool          // for the next client
	need   Need
	fabric *fabric.Fabric
	peer   options.Version // what its messages have told
	active *fi.Info        // what the endpoints are opened with
	memory *memory
	oob    *channel
	oneCQ  bool // TxCQ is RxCQ
	tagged bool
	inject int
	closed bool

	warming bool // messages are not checked yet

	// TxTag and RxTag replace the sequence number as tag when they are not 0.
	TxTag, RxTag uint64

	contexts  []any // one for each slot
	entries   [64]cq.Entry
	syncMsg   fi.Msg
	syncTMsg  fi.TaggedMsg
	syncIov   [1][]byte
	scratch   []byte // --touch: what is written into buffers
	seen      uint64 // --touch: what was read from them
	blocked   watchdog
	hangup    hangup
	waited    uint32 // waits since the beginning
	began     time.Time
	Elapsed   time.Duration // between Start and Stop
	cpuBefore time.Duration
	CPU       time.Duration // of this process between Start and Stop; 0 where the system does not tell
	lapBegan  time.Time
	laps      *perf.Latencies // --percentiles: of the client; else nil
	remoteOff int             // where the peer's transmit slots begin, counted from Remote
}

// slotContext is what contexts point to.
type slotContext struct{ slot int }

// Context is the context of the operations of a slot.
func (s *Session) Context(slot int) any { return s.contexts[slot] }

// SlotOf tells which slot a context belongs to; -1 for others.
func SlotOf(ctx any) int {
	if c, ok := ctx.(*slotContext); ok {
		return c.slot
	}
	return -1
}

// TxSlot and RxSlot are the first n bytes of a slot.
func (s *Session) TxSlot(slot, n int) []byte { return s.Tx[slot*s.Slot:][:n] }

// RxSlot is the first n bytes of a receive slot.
func (s *Session) RxSlot(slot, n int) []byte { return s.Rx[slot*s.Slot:][:n] }

// InjectSize is the longest message that is injected.
func (s *Session) InjectSize() int { return s.inject }

// WarmUp begins the part of a measurement whose messages nobody checks: C programs send them without the data of -v.
func (s *Session) WarmUp() { s.warming = true }

// Start starts the clock.
func (s *Session) Start() {
	if s.Opt.Percentiles && s.Client {
		s.laps = perf.NewLatencies()
	}
	s.cpuBefore = osx.ProcessTime()
	s.warming, s.began = false, time.Now()
	s.lapBegan = s.began
}

// Stop stops it.
func (s *Session) Stop() {
	s.Elapsed = time.Since(s.began)
	s.CPU = max(0, osx.ProcessTime()-s.cpuBefore)
}

// Row is the row of what lay between Start and Stop: n iterations of perIter transfers.
func (s *Session) Row(size, n, perIter int) perf.Row {
	laps := s.laps
	s.laps = nil // they belong to the row
	return perf.Row{Size: size, Iterations: n, PerIter: perIter, Elapsed: s.Elapsed, CPU: s.CPU, Latencies: laps}
}

// Close closes everything; the first error counts.
func (s *Session) Close() error {
	if s.closed || s.kept {
		return nil
	}
	s.closed = true
	s.blocked.stop()
	errs := []error{s.CloseActive()}
	try := func(close func() error) { errs = append(errs, close()) }
	if s.PEP != nil {
		try(s.PEP.Close)
	}
	if s.EQ != nil {
		try(s.EQ.Close)
	}
	if s.fabric != nil {
		try(s.fabric.Close)
	}
	s.oob.close()
	if s.hangup.end != nil {
		s.hangup.end(nil)
	}
	return errors.Join(errs...)
}
