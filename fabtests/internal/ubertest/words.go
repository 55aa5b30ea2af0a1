package ubertest

import "github.com/gofabric/gofabric/fi"

// testType is what is done with a function (enum ft_test_type).
type testType int32

// Types of tests.
const (
	latencyTest   testType = 1 // FT_TEST_LATENCY
	bandwidthTest testType = 2 // FT_TEST_BANDWIDTH
	unitTest      testType = 3 // FT_TEST_UNIT: data and completions are verified
)

func (t testType) String() string {
	switch t {
	case latencyTest:
		return "latency"
	case bandwidthTest:
		return "bandwidth"
	case unitTest:
		return "unit"
	}
	return "test_unspec"
}

// compType is how completions are seen (enum ft_comp_type).
type compType int32

// Types of completions.
const (
	compQueue   compType = 1 // FT_COMP_QUEUE
	compCounter compType = 2 // FT_COMP_CNTR
	compAll     compType = 3 // FT_COMP_ALL
)

func (c compType) counts() bool { return c == compCounter || c == compAll }
func (c compType) queues() bool { return c == compQueue || c == compAll }

func (c compType) String() string {
	switch c {
	case compQueue:
		return "comp_queue"
	case compCounter:
		return "comp_cntr"
	case compAll:
		return "comp_all"
	}
	return "comp_unspec"
}

// Classes of tests, as capabilities.
const (
	capMsg    = fi.CapMsg | fi.CapSend | fi.CapRecv                                            // FT_CAP_MSG
	capTagged = fi.CapTagged | fi.CapSend | fi.CapRecv                                         // FT_CAP_TAGGED
	capRMA    = fi.CapRMA | fi.CapRead | fi.CapWrite | fi.CapRemoteRead | fi.CapRemoteWrite    // FT_CAP_RMA
	capAtomic = fi.CapAtomic | fi.CapRead | fi.CapWrite | fi.CapRemoteRead | fi.CapRemoteWrite // FT_CAP_ATOMIC
	capsKnown = capMsg | capTagged | capRMA | capAtomic | fi.CapDirectedRecv | fi.CapRMAEvent  // what a test may ask for
	modeKnown = fi.ModeContext | fi.ModeContext2 | fi.ModeRxCQData                             // what it can live with
	mrKnown   = fi.MRModeLocal | fi.MRModeVirtAddr | fi.MRModeAllocated | fi.MRModeProvKey | fi.MRModeRaw | fi.MRModeEndpoint
	flagQuick = 1 << 0                              // FT_FLAG_QUICKTEST: five transfers of every fourth size
	opsKnown  = fi.OpCompletion                     // default flags of operations
	msgKnown  = fi.OpCompletion | fi.OpRemoteCQData // flags of the message forms
)

// entry is a word of a configuration file and its value.
type entry struct {
	word  string
	value uint64
}

// named makes entries of values that know their own C names.
func named[T interface {
	~int | ~uint32 | ~uint64
	String() string
}](values ...T) []entry {
	var out []entry
	for _, v := range values {
		out = append(out, entry{v.String(), uint64(v)})
	}
	return out
}

// kind is what several values of a key mean.
type kind int

const (
	product kind = iota // a test for each
	union               // all of them in each test
	single              // there is one, any word
)

// key is one that a set may have.
type key struct {
	name  string
	kind  kind
	words []entry
}

// waits are the wait objects that a test can use.
func waits() []entry { return named(fi.WaitNone, fi.WaitUnspec, fi.WaitFD, fi.WaitMutexCond) }

// keys are all that a set may have, those of the product in the order in which it is run through: the first changes fastest.
var keys = []key{
	{"test_class", product, []entry{{"FT_CAP_MSG", uint64(capMsg)}, {"FT_CAP_TAGGED", uint64(capTagged)}, {"FT_CAP_RMA", uint64(capRMA)},
		{"FT_CAP_ATOMIC", uint64(capAtomic)}}},
	{"class_function", product, functionWords()},
	{"op", product, named(fi.AtomicMin, fi.AtomicMax, fi.AtomicSum, fi.AtomicProd, fi.AtomicLOr, fi.AtomicLAnd, fi.AtomicBOr, fi.AtomicBAnd, fi.AtomicLXor,
		fi.AtomicBXor, fi.AtomicRead, fi.AtomicWrite, fi.AtomicCSwap, fi.AtomicCSwapNE, fi.AtomicCSwapLE, fi.AtomicCSwapLT, fi.AtomicCSwapGE,
		fi.AtomicCSwapGT, fi.AtomicMSwap, fi.AtomicDiff)},
	{"datatype", product, named(fi.TypeInt8, fi.TypeUint8, fi.TypeInt16, fi.TypeUint16, fi.TypeInt32, fi.TypeUint32, fi.TypeInt64, fi.TypeUint64,
		fi.TypeInt128, fi.TypeUint128, fi.TypeFloat, fi.TypeDouble, fi.TypeFloatComplex, fi.TypeDoubleComplex, fi.TypeLongDouble, fi.TypeLongDoubleComplex,
		fi.TypeFloat16, fi.TypeBFloat16, fi.TypeFloat8E4M3, fi.TypeFloat8E5M2)},
	{"comp_type", product, []entry{{"FT_COMP_QUEUE", uint64(compQueue)}, {"FT_COMP_CNTR", uint64(compCounter)}, {"FT_COMP_ALL", uint64(compAll)}}},
	{"eq_wait_obj", product, waits()},
	{"cq_wait_obj", product, waits()},
	{"cntr_wait_obj", product, waits()},
	{"av_type", product, named(fi.AVMap, fi.AVTable)},
	{"ep_type", product, named(fi.EPMsg, fi.EPDgram, fi.EPRDM)},
	{"test_type", product, []entry{{"FT_TEST_LATENCY", uint64(latencyTest)}, {"FT_TEST_BANDWIDTH", uint64(bandwidthTest)}, {"FT_TEST_UNIT", uint64(unitTest)}}},
	{"progress", product, named(fi.ProgressUnspec, fi.ProgressAuto, fi.ProgressManual)},
	{"threading", product, named(fi.ThreadUnspec, fi.ThreadSafe, fi.ThreadDomain, fi.ThreadCompletion)},
	{"cq_format", product, named(fi.CQFormatContext, fi.CQFormatMsg, fi.CQFormatData, fi.CQFormatTagged)},

	{"constant_caps", union, named(fi.CapRMA, fi.CapMsg, fi.CapSend, fi.CapRecv, fi.CapRead, fi.CapWrite, fi.CapRemoteRead, fi.CapRemoteWrite, fi.CapTagged, fi.CapDirectedRecv)},
	{"mode", union, named(fi.ModeContext, fi.ModeRxCQData)},
	{"mr_mode", union, named(fi.MRModeLocal, fi.MRModeVirtAddr, fi.MRModeAllocated, fi.MRModeProvKey, fi.MRModeRaw)},
	{"msg_flags", union, named(fi.OpRemoteCQData, fi.OpCompletion)},
	{"rx_cq_bind_flags", union, named(fi.BindSelectiveCompletion)},
	{"tx_cq_bind_flags", union, named(fi.BindSelectiveCompletion)},
	{"rx_op_flags", union, named(fi.OpCompletion)},
	{"tx_op_flags", union, named(fi.OpCompletion)},
	{"test_flags", union, []entry{{"FT_FLAG_QUICKTEST", flagQuick}}},

	{"node", single, nil},
	{"service", single, nil},
	{"prov_name", single, nil},
}

// keyOf finds a key by its name.
func keyOf(name string) *key {
	for i := range keys {
		if keys[i].name == name {
			return &keys[i]
		}
	}
	return nil
}
