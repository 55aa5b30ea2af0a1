package fabric

import (
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// These take one direction out of a group, for endpoints whose capabilities do not have it: FI_MSG without FI_SEND. Most
// endpoints have both and meet none of them.
type (
	noSend  struct{ driver.Messager }
	noRecv  struct{ driver.Messager }
	noTSend struct{ driver.Tagger }
	noTRecv struct{ driver.Tagger }
	noRead  struct{ driver.RMA }
	noWrite struct{ driver.RMA }
)

func (noSend) Send([]byte, fi.Addr, uint64, any, fi.OpFlags) error           { return fi.ErrNoSys }
func (noSend) SendMsg(*fi.Msg, fi.OpFlags) error                             { return fi.ErrNoSys }
func (noRecv) Recv([]byte, fi.Addr, any, fi.OpFlags) error                   { return fi.ErrNoSys }
func (noRecv) RecvMsg(*fi.Msg, fi.OpFlags) error                             { return fi.ErrNoSys }
func (noTSend) TSend([]byte, fi.Addr, uint64, uint64, any, fi.OpFlags) error { return fi.ErrNoSys }
func (noTSend) TSendMsg(*fi.TaggedMsg, fi.OpFlags) error                     { return fi.ErrNoSys }
func (noTRecv) TRecv([]byte, fi.Addr, uint64, uint64, any, fi.OpFlags) error { return fi.ErrNoSys }
func (noTRecv) TRecvMsg(*fi.TaggedMsg, fi.OpFlags) error                     { return fi.ErrNoSys }
func (noRead) Read([]byte, fi.Addr, mr.Remote, any, fi.OpFlags) error        { return fi.ErrNoSys }
func (noRead) ReadMsg(*fi.RMAMsg, fi.OpFlags) error                          { return fi.ErrNoSys }
func (noWrite) WriteMsg(*fi.RMAMsg, fi.OpFlags) error                        { return fi.ErrNoSys }
func (noWrite) Write([]byte, fi.Addr, mr.Remote, uint64, any, fi.OpFlags) error {
	return fi.ErrNoSys
}

// oneWay takes out what caps do not have.
func oneWay(ops *driver.Ops, caps fi.Caps) {
	lacks := func(c fi.Caps) bool { return caps&fi.ModifierCaps != 0 && caps&c == 0 }
	if ops.Msg != nil && lacks(fi.CapSend) {
		ops.Msg = noSend{ops.Msg}
	}
	if ops.Msg != nil && lacks(fi.CapRecv) {
		ops.Msg = noRecv{ops.Msg}
	}
	if ops.Tagged != nil && lacks(fi.CapSend) {
		ops.Tagged = noTSend{ops.Tagged}
	}
	if ops.Tagged != nil && lacks(fi.CapRecv) {
		ops.Tagged = noTRecv{ops.Tagged}
	}
	if ops.RMA != nil && lacks(fi.CapRead) {
		ops.RMA = noRead{ops.RMA}
	}
	if ops.RMA != nil && lacks(fi.CapWrite) {
		ops.RMA = noWrite{ops.RMA}
	}
}
