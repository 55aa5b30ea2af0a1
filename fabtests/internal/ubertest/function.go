package ubertest

import "github.com/gofabric/gofabric/fi"

// function is the call that is tested (enum ft_class_function). 0 is the plain one of its class.
type function int32

// Functions.
const (
	funcSend             function = iota + 1 // FT_FUNC_SEND
	funcSendV                                // FT_FUNC_SENDV
	funcSendMsg                              // FT_FUNC_SENDMSG
	funcInject                               // FT_FUNC_INJECT
	funcInjectData                           // FT_FUNC_INJECTDATA
	funcSendData                             // FT_FUNC_SENDDATA
	funcRead                                 // FT_FUNC_READ
	funcReadV                                // FT_FUNC_READV
	funcReadMsg                              // FT_FUNC_READMSG
	funcWrite                                // FT_FUNC_WRITE
	funcWriteV                               // FT_FUNC_WRITEV
	funcWriteMsg                             // FT_FUNC_WRITEMSG
	funcInjectWrite                          // FT_FUNC_INJECT_WRITE
	funcWriteData                            // FT_FUNC_WRITEDATA
	funcInjectWriteData                      // FT_FUNC_INJECT_WRITEDATA
	funcAtomic                               // FT_FUNC_ATOMIC
	funcAtomicV                              // FT_FUNC_ATOMICV
	funcAtomicMsg                            // FT_FUNC_ATOMICMSG
	funcInjectAtomic                         // FT_FUNC_INJECT_ATOMIC
	funcFetchAtomic                          // FT_FUNC_FETCH_ATOMIC
	funcFetchAtomicV                         // FT_FUNC_FETCH_ATOMICV
	funcFetchAtomicMsg                       // FT_FUNC_FETCH_ATOMICMSG
	funcCompareAtomic                        // FT_FUNC_COMPARE_ATOMIC
	funcCompareAtomicV                       // FT_FUNC_COMPARE_ATOMICV
	funcCompareAtomicMsg                     // FT_FUNC_COMPARE_ATOMICMSG
	functions                                // how many there are, with that of 0
)

// functionFacts are the words of files and of output.
var functionFacts = [functions]struct{ word, shown string }{
	{"", "func_unspec"},
	{"FT_FUNC_SEND", "send"}, {"FT_FUNC_SENDV", "sendv"}, {"FT_FUNC_SENDMSG", "sendmsg"},
	{"FT_FUNC_INJECT", "inject"}, {"FT_FUNC_INJECTDATA", "injectdata"}, {"FT_FUNC_SENDDATA", "senddata"},
	{"FT_FUNC_READ", "read"}, {"FT_FUNC_READV", "readv"}, {"FT_FUNC_READMSG", "readmsg"},
	{"FT_FUNC_WRITE", "write"}, {"FT_FUNC_WRITEV", "writev"}, {"FT_FUNC_WRITEMSG", "writemsg"},
	{"FT_FUNC_INJECT_WRITE", "inject_write"}, {"FT_FUNC_WRITEDATA", "writedata"}, {"FT_FUNC_INJECT_WRITEDATA", "inject_writedata"},
	{"FT_FUNC_ATOMIC", "atomic"}, {"FT_FUNC_ATOMICV", "atomicv"}, {"FT_FUNC_ATOMICMSG", "atomic_msg"}, {"FT_FUNC_INJECT_ATOMIC", "inject_atomic"},
	{"FT_FUNC_FETCH_ATOMIC", "fetch_atomic"}, {"FT_FUNC_FETCH_ATOMICV", "fetch_atomicv"}, {"FT_FUNC_FETCH_ATOMICMSG", "fetch_atomicmsg"},
	{"FT_FUNC_COMPARE_ATOMIC", "compare_atomic"}, {"FT_FUNC_COMPARE_ATOMICV", "compare_atomicv"}, {"FT_FUNC_COMPARE_ATOMICMSG", "compare_atomicmsg"},
}

func functionWords() []entry {
	var out []entry
	for f := funcSend; f < functions; f++ {
		out = append(out, entry{functionFacts[f].word, uint64(f)})
	}
	return out
}

// in tells whether a class of tests has the function.
func (f function) in(class fi.Caps) bool {
	switch {
	case f == 0:
		return true
	case f <= funcSendData:
		return class&(fi.CapMsg|fi.CapTagged) != 0
	case f <= funcInjectWriteData:
		return class&fi.CapRMA != 0
	}
	return class&fi.CapAtomic != 0
}

func (f function) injects() bool {
	return f == funcInject || f == funcInjectData || f == funcInjectWrite || f == funcInjectWriteData || f == funcInjectAtomic
}

func (f function) reads() bool { return f == funcRead || f == funcReadV || f == funcReadMsg }

func (f function) carriesData() bool {
	return f == funcSendData || f == funcInjectData || f == funcWriteData || f == funcInjectWriteData
}

// hasFlags tells whether it takes flags of its own.
func (f function) hasFlags() bool {
	switch f {
	case funcSendMsg, funcWriteMsg, funcReadMsg, funcAtomicMsg, funcFetchAtomicMsg, funcCompareAtomicMsg:
		return true
	}
	return false
}

// atomicKind is the class of atomics that it belongs to.
func (f function) atomicKind() fi.AtomicKind {
	switch {
	case f >= funcCompareAtomic:
		return fi.AtomicCompare
	case f >= funcFetchAtomic:
		return fi.AtomicFetch
	}
	return fi.AtomicBase
}

// shown is its name in output.
func (f function) shown(class fi.Caps) string {
	name := functionFacts[f].shown
	if class&fi.CapTagged != 0 && f >= funcSend && f <= funcSendData {
		return "t" + name
	}
	return name
}
