package fi

import "iter"

// What the Stats methods of package fabric's objects give. A field is a count since the object was opened unless its
// comment says "now", which is a level that goes up and down, or "most", which is the highest such level there was. They
// have no counterpart in C.

// OpKind is a kind of operations that are counted apart.
type OpKind uint8

// The kinds. Those of sends and receives lie in turns, by which providers count fast.
const (
	OpKindSend        OpKind = iota // messages sent: fi_send and its other forms
	OpKindRecv                      // messages received: fi_recv, fi_recvmsg
	OpKindTSend                     // tagged messages sent: fi_tsend and its other forms
	OpKindTRecv                     // tagged messages received: fi_trecv, fi_trecvmsg
	OpKindWrite                     // remote writes: fi_write and its other forms
	OpKindRead                      // remote reads: fi_read, fi_readmsg
	OpKindAtomic                    // atomics without a result: fi_atomic and its other forms
	OpKindFetch                     // atomics with one: fi_fetch_atomic, fi_compare_atomic
	OpKindCollective                // collectives: fi_barrier, fi_allreduce ...
	OpKindRemoteWrite               // what peers have written to our memory, atomics without a result too
	OpKindRemoteRead                // what peers have read of it, atomics with a result too

	// OpKinds is how many there are.
	OpKinds
)

var opKindNames = [OpKinds]string{"send", "recv", "tsend", "trecv", "write", "read", "atomic", "fetch_atomic", "collective",
	"remote_write", "remote_read"}

// String names the kind, "tsend": the C name of its plain call without fi_, where there is one call.
func (k OpKind) String() string {
	if k >= OpKinds {
		return "unknown"
	}
	return opKindNames[k]
}

// OpStats count the operations of one kind.
type OpStats struct {
	Done   uint64 // that have completed successfully, also without an entry in a queue
	Failed uint64 // that have completed in error, those that were cancelled too
	Bytes  uint64 // that the successful ones have moved
}

// Add adds the numbers of o.
func (s *OpStats) Add(o *OpStats) {
	s.Done, s.Failed, s.Bytes = s.Done+o.Done, s.Failed+o.Failed, s.Bytes+o.Bytes
}

// OpTable has the counts of all kinds.
type OpTable [OpKinds]OpStats

// All gives the kinds that have happened, in the order of their numbers.
func (t OpTable) All() iter.Seq2[OpKind, OpStats] {
	return func(yield func(OpKind, OpStats) bool) {
		for k, s := range t {
			if s != (OpStats{}) && !yield(OpKind(k), s) {
				return
			}
		}
	}
}

// RxStats are those of a receive context: what an endpoint receives with, or several share.
type RxStats struct {
	Posted          uint64 // receives that wait for messages, now
	Unexpected      uint64 // messages that wait for receives, now
	UnexpectedBytes uint64 // memory that these hold, now
	Kept            uint64 // messages that came before their receive
	Held            uint64 // times that a sender was told to wait, since too much was kept
}

// Add adds the numbers of o.
func (s *RxStats) Add(o *RxStats) {
	s.Posted += o.Posted
	s.Unexpected += o.Unexpected
	s.UnexpectedBytes += o.UnexpectedBytes
	s.Kept += o.Kept
	s.Held += o.Held
}

// ConnStats tell of connections to peers, those that an endpoint for datagrams makes by itself too. Providers without
// connections count none.
type ConnStats struct {
	Open   uint64 // now
	Opened uint64 // that worked
	Failed uint64 // that were not made, or ended in error
	Retry  uint64 // attempts after the first
}

// Add adds the numbers of o.
func (s *ConnStats) Add(o *ConnStats) {
	s.Open, s.Opened, s.Failed, s.Retry = s.Open+o.Open, s.Opened+o.Opened, s.Failed+o.Failed, s.Retry+o.Retry
}

// EndpointStats are those of an endpoint or a context of a scalable one.
type EndpointStats struct {
	// Ops are the operations that have completed. The messages that collectives are made of, and what the library posts
	// for deferred work, count as messages.
	Ops     OpTable
	Pending uint64 // sends, remote accesses and atomics that have not completed, now
	Again   uint64 // operations that were not accepted for want of room: FI_EAGAIN
	Rx      RxStats
	Conns   ConnStats
}

// Add adds the numbers of o.
func (s *EndpointStats) Add(o *EndpointStats) {
	for k := range o.Ops {
		s.Ops[k].Add(&o.Ops[k])
	}
	s.Pending += o.Pending
	s.Again += o.Again
	s.Rx.Add(&o.Rx)
	s.Conns.Add(&o.Conns)
}

// QueueStats are those of a completion queue, and of an event queue.
type QueueStats struct {
	Written  uint64 // entries, those in error too
	Read     uint64 // of them, by the application
	Errors   uint64 // entries in error
	Depth    uint64 // entries that wait to be read, now
	MostDeep uint64 // entries that waited, most
	Full     uint64 // operations (of an event queue: writes) that found no place and were not accepted
	Sleeps   uint64 // times that a reader has gone to sleep
}

// Add adds the numbers of o; of MostDeep it takes the higher one.
func (s *QueueStats) Add(o *QueueStats) {
	s.Written += o.Written
	s.Read += o.Read
	s.Errors += o.Errors
	s.Depth += o.Depth
	s.MostDeep = max(s.MostDeep, o.MostDeep)
	s.Full += o.Full
	s.Sleeps += o.Sleeps
}

// CounterStats are those of a counter.
type CounterStats struct {
	Value  uint64 // as Read gives it, now
	Errors uint64 // as ReadErr gives it, now
	Sleeps uint64 // times that a waiter has gone to sleep
}

// AVStats are those of an address vector.
type AVStats struct {
	Addresses uint64 // in use, now
	Inserted  uint64
	Removed   uint64
}

// Add adds the numbers of o.
func (s *AVStats) Add(o *AVStats) {
	s.Addresses, s.Inserted, s.Removed = s.Addresses+o.Addresses, s.Inserted+o.Inserted, s.Removed+o.Removed
}

// MRStats are those of a registered region.
type MRStats struct {
	Bytes uint64 // registered, now: 0 when the region is closed
	// Write and Read are remote accesses that the provider has served, atomics too; one of several ranges once. Not counted
	// is what passes the provider by: load and store access of peers that have mapped the region.
	Write, Read OpStats
}

// SharedTxStats are those of a shared transmit context.
type SharedTxStats struct {
	Taken uint64 // places that operations hold, now
	Most  uint64 // places that they held, most
	Full  uint64 // operations that found none
}

// GroupStats are those of a part in a group, of multicast or of collectives.
type GroupStats struct {
	Joined uint64 // 1: the group is there, now
}

// PassiveStats are those of a passive endpoint.
type PassiveStats struct {
	Requests uint64 // for connections that came in
	Waiting  uint64 // requests that nobody has read, now
	Accepted uint64 // endpoints that were opened to answer one
	Rejected uint64 // by Reject
}

// Add adds the numbers of o.
func (s *PassiveStats) Add(o *PassiveStats) {
	s.Requests, s.Waiting = s.Requests+o.Requests, s.Waiting+o.Waiting
	s.Accepted, s.Rejected = s.Accepted+o.Accepted, s.Rejected+o.Rejected
}

// EngineStats tell who moves a domain's data when the application does not: see docs/design/0006.
type EngineStats struct {
	Wakeups uint64 // of the progress goroutine
	Ticks   uint64 // of the timer that runs while somebody polls, a millisecond apart
	Parked  uint64 // readers that sleep, now
}

// DomainStats are those of a domain: its own, and the sums over all objects that were ever open in it, so that counts do
// not fall when one closes.
type DomainStats struct {
	Endpoints, CQs, Counters, AVs, MRs uint64 // open, now

	Endpoint   EndpointStats // and contexts of scalable endpoints, and shared receive contexts
	CQ         QueueStats
	AV         AVStats
	Registered uint64 // regions
	MRBytes    uint64 // registered, now
	MostBytes  uint64 // registered, most
	Work       uint64 // deferred and triggered operations that were accepted
	Engine     EngineStats
}

// FabricStats are those of a fabric: its own, and the sums over event queues and passive endpoints.
type FabricStats struct {
	Domains, EQs, Passives uint64 // open, now

	EQ      QueueStats
	Passive PassiveStats
}

// Add adds the numbers of o; of levels there were at most it takes the higher one.
func (s *DomainStats) Add(o *DomainStats) {
	s.Endpoints += o.Endpoints
	s.CQs += o.CQs
	s.Counters += o.Counters
	s.AVs += o.AVs
	s.MRs += o.MRs
	s.Endpoint.Add(&o.Endpoint)
	s.CQ.Add(&o.CQ)
	s.AV.Add(&o.AV)
	s.Registered += o.Registered
	s.MRBytes += o.MRBytes
	s.MostBytes = max(s.MostBytes, o.MostBytes)
	s.Work += o.Work
	s.Engine.Wakeups += o.Engine.Wakeups
	s.Engine.Ticks += o.Engine.Ticks
	s.Engine.Parked += o.Engine.Parked
}

// Add adds the numbers of o, as that of DomainStats.
func (s *FabricStats) Add(o *FabricStats) {
	s.Domains += o.Domains
	s.EQs += o.EQs
	s.Passives += o.Passives
	s.EQ.Add(&o.EQ)
	s.Passive.Add(&o.Passive)
}

// DropLevels sets what is only true now to 0, and keeps the counts, and the levels that there were at most: what stays of an
// object that is gone.
func (s *DomainStats) DropLevels() {
	s.Endpoints, s.CQs, s.Counters, s.AVs, s.MRs = 0, 0, 0, 0, 0
	s.Endpoint.DropLevels()
	s.CQ.Depth, s.AV.Addresses, s.MRBytes, s.Engine.Parked = 0, 0, 0, 0
}

// DropLevels is that of DomainStats.
func (s *EndpointStats) DropLevels() {
	s.Pending, s.Conns.Open = 0, 0
	s.Rx.Posted, s.Rx.Unexpected, s.Rx.UnexpectedBytes = 0, 0, 0
}

// DropLevels is that of DomainStats.
func (s *FabricStats) DropLevels() {
	s.Domains, s.EQs, s.Passives, s.EQ.Depth, s.Passive.Waiting = 0, 0, 0, 0, 0
}
