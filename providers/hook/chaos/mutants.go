package chaos

// Mutant is a way to lie.
type Mutant int

// The mutants.
const (
	None Mutant = iota

	// Completions.
	DropCompletion
	CompleteTwice
	LoseErrors
	WrongContext
	WrongLength
	WrongSource
	WrongTag
	WrongKind
	LoseData
	HalfData
	TruncationIsSuccess
	ForgetRelease
	LoseWakeups
	SelectiveIgnored
	CloseForgets

	// Messages.
	SwapTagged
	Reorder
	DropInBurst
	InjectKeepsBuffer
	ChangeSource
	EarlyMatch
	IgnoreFence
	IgnoreMask
	ShortTag
	IgnoreSender
	IgnoreGroup
	LosePart
	RecvByteTooFar
	DataLate
	MultiOverlap
	PeekTakes
	ClaimForgets
	DiscardKeeps
	CancelTwice
	CancelLeaves

	// Remote memory.
	WriteByteTooFar
	WriteLate
	ShortRead
	StaleKey
	LeakKey
	IgnoreRights
	IgnoreRange
	ZeroUnchecked
	SingleUseStays
	PartsSwapped
	SubRights
	LoseWriteData
	LoseEvents
	MapCopies

	// Atomics.
	NotAtomic
	WrongOp
	FetchNew
	CompareSwapped
	QueryTooMuch

	// Collectives.
	ValueMissing
	BarrierEarly

	// Connections.
	ShortPrivateData
	AcceptSaysNothing
	RejectSaysNothing
	SilentShutdown
	WrongPeer
	PromiseCMData

	// Contexts.
	OneContext
	SharedTxEndless

	// Triggered operations.
	TriggerEarly
	TriggerTwice

	// Counters, addresses, promises, resources.
	CounterMisses
	StatsMiss
	IgnoreKeys
	AllKeysOne
	RegionsForAll
	LevelsStay
	AcceptBadAddress
	PromiseVectors
	PromiseAtomics
	ListUnopenable
	LeakGoroutine
	LeakDescriptor

	last
)

var names = [last]struct{ name, lie string }{
	None:                {"none", "tells the truth"},
	DropCompletion:      {"drop-completion", "drops every seventh completion of a send or a remote access"},
	CompleteTwice:       {"complete-twice", "writes every fifth completion of a receive twice"},
	LoseErrors:          {"lose-errors", "drops error completions"},
	WrongContext:        {"wrong-context", "gives every ninth completion of a receive the context of the one before"},
	WrongLength:         {"wrong-length", "says one byte too many for messages of more than 200 bytes"},
	WrongSource:         {"wrong-source", "reports every sender as the first of the vector"},
	WrongTag:            {"wrong-tag", "reports tags without their highest byte"},
	WrongKind:           {"wrong-kind", "calls completions of reads writes"},
	LoseData:            {"lose-data", "loses the data that comes with messages of more than 64 bytes"},
	HalfData:            {"half-data", "keeps the lower half of the data"},
	TruncationIsSuccess: {"truncation-is-success", "reports messages that were cut as successes"},
	ForgetRelease:       {"forget-release", "gives canceled multi-receive buffers back without FI_MULTI_RECV"},
	LoseWakeups:         {"lose-wakeups", "does not wake readers that sleep"},
	SelectiveIgnored:    {"selective-ignored", "reports successes that were to be silent"},
	CloseForgets:        {"close-forgets", "closes endpoints without completing what is posted"},
	SwapTagged:          {"swap-tagged", "swaps two tagged messages that follow each other at once"},
	Reorder:             {"reorder", "lets short messages overtake those of more than 8 KiB"},
	DropInBurst:         {"drop-in-burst", "loses one message of a thousand"},
	InjectKeepsBuffer:   {"inject-keeps-buffer", "sends what was injected a little later, from the caller's buffer"},
	ChangeSource:        {"change-source", "writes into the buffers of sends"},
	EarlyMatch:          {"early-match", "completes FI_MATCH_COMPLETE when the message has left"},
	IgnoreFence:         {"ignore-fence", "ignores FI_FENCE"},
	IgnoreMask:          {"ignore-mask", "compares the highest bit of tags though it is to be ignored"},
	ShortTag:            {"short-tag", "compares 48 bits of tags"},
	IgnoreSender:        {"ignore-sender", "lets directed receives take messages from anyone"},
	IgnoreGroup:         {"ignore-group", "ignores peer groups"},
	LosePart:            {"lose-part", "loses the last part of vectors of more than two"},
	RecvByteTooFar:      {"recv-byte-too-far", "writes one byte behind the end of a message"},
	DataLate:            {"data-late", "delivers the data of receives after their completions"},
	MultiOverlap:        {"multi-overlap", "lets messages in multi-receive buffers overlap by a byte"},
	PeekTakes:           {"peek-takes", "takes the message that is peeked"},
	ClaimForgets:        {"claim-forgets", "does not reserve what is claimed"},
	DiscardKeeps:        {"discard-keeps", "keeps what is discarded"},
	CancelTwice:         {"cancel-twice", "completes canceled receives twice"},
	CancelLeaves:        {"cancel-leaves", "completes canceled receives as canceled and leaves them posted"},
	WriteByteTooFar:     {"write-byte-too-far", "writes one byte too far into remote memory"},
	WriteLate:           {"write-late", "completes FI_DELIVERY_COMPLETE writes before the bytes are there"},
	ShortRead:           {"short-read", "reads one byte too few of more than 64"},
	StaleKey:            {"stale-key", "accepts the key of a region that was closed"},
	LeakKey:             {"leak-key", "keeps the keys of closed regions in use"},
	IgnoreRights:        {"ignore-rights", "gives every region every right"},
	IgnoreRange:         {"ignore-range", "accepts accesses that end up to 8 bytes outside"},
	ZeroUnchecked:       {"zero-unchecked", "does not check the keys of accesses of no bytes"},
	SingleUseStays:      {"single-use-stays", "lets keys for a single use be used again"},
	PartsSwapped:        {"parts-swapped", "swaps the first two buffers of a region"},
	SubRights:           {"sub-rights", "gives sub-regions the rights of their bases"},
	LoseWriteData:       {"lose-write-data", "loses every second completion of a peer's write"},
	LoseEvents:          {"lose-events", "forgets the counters that are bound to regions"},
	MapCopies:           {"map-copies", "gives a copy of the memory that is mapped"},
	NotAtomic:           {"not-atomic", "reads, computes and writes"},
	WrongOp:             {"wrong-op", "takes the maximum for the minimum of 16-bit integers"},
	FetchNew:            {"fetch-new", "fetches the new values"},
	CompareSwapped:      {"compare-swapped", "takes the compare value for the operand in FI_CSWAP_GE"},
	QueryTooMuch:        {"query-too-much", "says that twice as many elements go into a call"},
	ValueMissing:        {"value-missing", "leaves the own value out of every fifth reduction"},
	BarrierEarly:        {"barrier-early", "completes barriers when they are posted"},
	ShortPrivateData:    {"short-private-data", "loses the last byte of the private data of requests"},
	AcceptSaysNothing:   {"accept-says-nothing", "loses the private data of acceptances"},
	RejectSaysNothing:   {"reject-says-nothing", "loses the private data of rejections"},
	SilentShutdown:      {"silent-shutdown", "does not tell the peer of a shutdown"},
	WrongPeer:           {"wrong-peer", "gives an endpoint's own address for its peer's"},
	PromiseCMData:       {"promise-cm-data", "promises twice as much private data as it takes"},
	OneContext:          {"one-context", "takes what is for any receive context to the first"},
	SharedTxEndless:     {"shared-tx-endless", "gives shared transmit contexts places without end"},
	TriggerEarly:        {"trigger-early", "counts receives when they are posted, so that what waits for them begins too early"},
	TriggerTwice:        {"trigger-twice", "does twice what waits for a counter"},
	CounterMisses:       {"counter-misses", "misses every fourth count"},
	IgnoreKeys:          {"ignore-keys", "opens endpoints as if they had no authorization keys"},
	AllKeysOne:          {"all-keys-one", "takes all authorization keys of a vector for the same"},
	RegionsForAll:       {"regions-for-all", "lets every peer into the regions for the peers of one authorization key"},
	StatsMiss:           {"stats-miss", "leaves every fourth tagged message that was sent out of an endpoint's numbers"},
	LevelsStay:          {"levels-stay", "says that a receive is posted when none is"},
	AcceptBadAddress:    {"accept-bad-address", "takes anything for an address"},
	PromiseVectors:      {"promise-vectors", "promises longer vectors than it takes"},
	PromiseAtomics:      {"promise-atomics", "promises atomics and has none"},
	ListUnopenable:      {"list-unopenable", "lists what it does not open: endpoints with FI_FENCE asked for"},
	LeakGoroutine:       {"leak-goroutine", "leaves a goroutine behind for every endpoint"},
	LeakDescriptor:      {"leak-descriptor", "leaves a descriptor open for every endpoint"},
}

// String gives the mutant's name.
func (m Mutant) String() string {
	if m < 0 || m >= last {
		return "unknown"
	}
	return names[m].name
}

// Lie says in words what the mutant does.
func (m Mutant) Lie() string {
	if m < 0 || m >= last {
		return ""
	}
	return names[m].lie
}

// Mutants lists all that lie.
func Mutants() []Mutant {
	var out []Mutant
	for m := None + 1; m < last; m++ {
		out = append(out, m)
	}
	return out
}

// Find gives the mutant of a name, "drop-completion"; false when there is none.
func Find(name string) (Mutant, bool) {
	for m := range last {
		if names[m].name == name {
			return m, true
		}
	}
	return None, false
}
