package ubertest

import (
	"fmt"

	"github.com/gofabric/gofabric/fi"
)

// Test is one test (struct ft_info). What is 0 is the provider's choice.
type Test struct {
	Type                        testType
	Index                       int32 // from 1
	Speaks                      int32 // who says it: see protocol.go
	Function                    function
	MsgFlags                    fi.OpFlags // of functions that take flags
	Op                          fi.AtomicOp
	Datatype                    fi.Datatype
	Flags                       uint64
	Class, Caps                 fi.Caps
	Mode                        fi.Mode
	MRMode                      fi.MRMode
	AV                          fi.AVType
	EP                          fi.EPType
	Comp                        compType
	EQWait, CQWait, CounterWait fi.WaitObj
	Progress                    fi.Progress
	Threading                   fi.Threading
	Protocol, ProtocolVersion   uint32
	Node, Service               string
	Provider, Fabric            string
	RxBind, TxBind              fi.BindFlags
	RxOps, TxOps                fi.OpFlags // of functions that take none
	Format                      fi.CQFormat
}

// withData tells whether operations carry data for the peer's completion.
func (t *Test) withData() bool {
	return t.Function.carriesData() || t.Function.hasFlags() && t.MsgFlags&fi.OpRemoteCQData != 0
}

// remote tells whether operations act on the peer's memory.
func (t *Test) remote() bool { return t.Class&(fi.CapRMA|fi.CapAtomic) != 0 }

// bringsBack tells whether an operation brings something back.
func (t *Test) bringsBack() bool {
	return t.Function.reads() || t.Class&fi.CapAtomic != 0 && t.Function.atomicKind() != fi.AtomicBase
}

// completesTx tells whether an operation leaves an entry in the initiator's queue.
func (t *Test) completesTx() bool {
	switch {
	case t.Function.injects():
		return false
	case t.txSelective():
		return t.txFlags()&fi.OpCompletion != 0
	}
	return true
}

// completesRx tells whether an operation leaves an entry in the peer's queue.
func (t *Test) completesRx() bool {
	switch {
	case t.Class&fi.CapAtomic != 0, t.Class&fi.CapRMA != 0 && !t.withData():
		return false
	case t.Class&fi.CapRMA != 0 && t.Mode&fi.ModeRxCQData == 0: // no receive of ours says anything about it
		return true
	}
	return t.receiveCompletes()
}

// receiveCompletes tells whether a receive leaves an entry.
func (t *Test) receiveCompletes() bool {
	return !t.rxSelective() || t.rxFlags()&fi.OpCompletion != 0
}

// seesRx tells whether the target of an operation notices it, by itself.
func (t *Test) seesRx() bool { return t.Comp.counts() || t.completesRx() }

func (t *Test) txSelective() bool { return t.TxBind != 0 || !t.Comp.queues() }

// rxSelective: of datagrams it must be known which one came.
func (t *Test) rxSelective() bool { return t.EP != fi.EPDgram && (t.RxBind != 0 || !t.Comp.queues()) }

// txFlags are those that an operation has, its own or the endpoint's.
func (t *Test) txFlags() fi.OpFlags {
	if t.Function.hasFlags() {
		return t.MsgFlags
	}
	return t.TxOps
}

// rxFlags are those of a receive. Messages of the function that takes flags are received with flags, and what only a sender
// can mean is none of them.
func (t *Test) rxFlags() fi.OpFlags {
	if t.Function == funcSendMsg {
		return t.MsgFlags & fi.OpCompletion
	}
	return t.RxOps
}

// String is the line that says what is tested.
func (t *Test) String() string {
	s := fmt.Sprintf("[%s, %v, %s", t.Provider, t.Type, t.Function.shown(t.Class))
	if t.Class&fi.CapAtomic != 0 {
		s += fmt.Sprintf(" (%v, %v)", t.Op, t.Datatype)
	}
	s += fmt.Sprintf("--%v, %v, %v, eq_%s, cq_%s, cntr_%s, ", t.MsgFlags, t.EP, t.AV, waitWord(t.EQWait), waitWord(t.CQWait), waitWord(t.CounterWait))
	s += fmt.Sprintf("%v -- tx (bind-%s, op-%v), rx: (bind-%s, op-%v), [%v], ", t.Comp, bindWord(t.TxBind), t.TxOps, bindWord(t.RxBind), t.RxOps, t.Format)
	return s + fmt.Sprintf("%v, %v (only hints), [%v], [%v], [%v]]", t.Progress, t.Threading, t.MRMode, t.Mode, t.Caps)
}

func bindWord(b fi.BindFlags) string {
	if b == 0 {
		return "NONE"
	}
	return b.String()
}

// waitWord is the name of a wait object in output.
func waitWord(w fi.WaitObj) string {
	switch w {
	case fi.WaitNone:
		return "wait_none"
	case fi.WaitUnspec:
		return "wait_unspec"
	case fi.WaitFD:
		return "wait_fd"
	case fi.WaitMutexCond:
		return "wait_mutex_cond"
	}
	return w.String()
}
