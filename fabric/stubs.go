package fabric

import (
	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// stubs stand for operations that cannot be used: not offered (fi.ErrNoSys), not yet enabled, or closed. The fast path
// has no test for that.
type stubs struct{ err fi.Errno }

func (s stubs) why() error {
	if s.err == 0 {
		return fi.ErrNoSys
	}
	return s.err
}

func (s stubs) Send([]byte, fi.Addr, uint64, any, fi.OpFlags) error          { return s.why() }
func (s stubs) SendMsg(*fi.Msg, fi.OpFlags) error                            { return s.why() }
func (s stubs) Recv([]byte, fi.Addr, any, fi.OpFlags) error                  { return s.why() }
func (s stubs) RecvMsg(*fi.Msg, fi.OpFlags) error                            { return s.why() }
func (s stubs) TSend([]byte, fi.Addr, uint64, uint64, any, fi.OpFlags) error { return s.why() }
func (s stubs) TSendMsg(*fi.TaggedMsg, fi.OpFlags) error                     { return s.why() }
func (s stubs) TRecv([]byte, fi.Addr, uint64, uint64, any, fi.OpFlags) error { return s.why() }
func (s stubs) TRecvMsg(*fi.TaggedMsg, fi.OpFlags) error                     { return s.why() }
func (s stubs) Write([]byte, fi.Addr, mr.Remote, uint64, any, fi.OpFlags) error {
	return s.why()
}
func (s stubs) WriteMsg(*fi.RMAMsg, fi.OpFlags) error                  { return s.why() }
func (s stubs) Read([]byte, fi.Addr, mr.Remote, any, fi.OpFlags) error { return s.why() }
func (s stubs) ReadMsg(*fi.RMAMsg, fi.OpFlags) error                   { return s.why() }
func (s stubs) Atomic(*fiatomic.Kernel, []byte, fi.Addr, mr.Remote, any, fi.OpFlags) error {
	return s.why()
}
func (s stubs) FetchAtomic(*fiatomic.Kernel, []byte, []byte, fi.Addr, mr.Remote, any, fi.OpFlags) error {
	return s.why()
}
func (s stubs) CompareAtomic(*fiatomic.Kernel, []byte, []byte, []byte, fi.Addr, mr.Remote, any, fi.OpFlags) error {
	return s.why()
}
func (s stubs) Join(*driver.Join) (fi.Addr, error) { return fi.AddrNotAvail, s.why() }
func (s stubs) Leave(fi.Addr) error                { return s.why() }
func (s stubs) Collective(fi.CollectiveOp, fi.Addr, fi.Addr, *fiatomic.Kernel, int, []byte, []byte, any, fi.OpFlags) error {
	return s.why()
}
func (s stubs) AtomicMsg(*fiatomic.Kernel, *fi.AtomicMsg, [][]byte, [][]byte, fi.OpFlags) error {
	return s.why()
}
