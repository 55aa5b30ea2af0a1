package fabric

import (
	"context"
	"errors"
	"fmt"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// Read reads len(dst) bytes of a peer's region into dst (fi_read).
//
// Ownership: dst belongs to the operation until its completion.
// Errors: as Send. A wrong key (fi.ErrKeyRejected), a range outside the region (fi.ErrInvalid) or a right that was not
// given (fi.ErrAccess) give an error completion; the endpoint lives on. A wrong key is an error for zero bytes, too.
func (ep *Endpoint) Read(dst []byte, from fi.Addr, src mr.Remote, ctx any) error {
	return ep.rma.Read(dst, from, src, ctx, ep.txFlags)
}

// ReadV reads from one range of a peer's region into several buffers (fi_readv).
//
// Ownership: the buffers belong to the operation until its completion, the slice iov only until the call returns.
// Errors: as Read; fi.ErrInvalid for too many buffers.
func (ep *Endpoint) ReadV(iov [][]byte, from fi.Addr, src mr.Remote, ctx any) error {
	return ep.rma.ReadMsg(&fi.RMAMsg{Iov: iov, Addr: from, RMAIov: remote(src, iov), Context: ctx}, ep.txFlags)
}

// ReadMsg reads from several ranges into several buffers, with flags of its own (fi_readmsg). The lengths of both sides
// must have the same sum, else fi.ErrInvalid.
//
// Ownership: as ReadV; m may be reused when the call returns.
// Errors: as ReadV; fi.ErrBadFlags for flags that it does not have.
func (ep *Endpoint) ReadMsg(m *fi.RMAMsg, flags fi.OpFlags) error {
	if m == nil {
		return fi.ErrInvalid
	}
	if flags&^readFlags != 0 {
		return ep.trigger(rmaWork(driver.WorkRead, m), flags, readFlags)
	}
	return ep.rma.ReadMsg(m, (flags|ep.txMsg)&^ep.txNot)
}

// Write writes src into a peer's region (fi_write).
//
// Nil says that the write was accepted. Its completion, or the endpoint's Close, is to come before the process ends.
//
// Ownership: src belongs to the operation until its completion.
// Errors: as Read.
func (ep *Endpoint) Write(src []byte, to fi.Addr, dst mr.Remote, ctx any) error {
	return ep.rma.Write(src, to, dst, 0, ctx, ep.txFlags)
}

// WriteV writes several buffers into one range of a peer's region (fi_writev).
//
// Ownership and errors: as ReadV.
func (ep *Endpoint) WriteV(iov [][]byte, to fi.Addr, dst mr.Remote, ctx any) error {
	return ep.rma.WriteMsg(&fi.RMAMsg{Iov: iov, Addr: to, RMAIov: remote(dst, iov), Context: ctx}, ep.txFlags)
}

// WriteMsg writes several buffers into several ranges, with flags of its own (fi_writemsg).
//
// Ownership and errors: as ReadMsg.
func (ep *Endpoint) WriteMsg(m *fi.RMAMsg, flags fi.OpFlags) error {
	if m == nil {
		return fi.ErrInvalid
	}
	if flags&^sendFlags != 0 {
		return ep.trigger(rmaWork(driver.WorkWrite, m), flags, sendFlags)
	}
	return ep.rma.WriteMsg(m, (flags|ep.txMsg)&^ep.txNot)
}

// InjectWrite writes src without a completion (fi_inject_write). At most the Info's Tx.InjectSize bytes. A failure gives
// an error completion all the same.
//
// Nil says what it says of [Endpoint.Inject]: close the endpoint before the process ends.
//
// Ownership: src is the caller's again when the call returns.
// Errors: as Write; fi.ErrMsgSize when src is too long.
func (ep *Endpoint) InjectWrite(src []byte, to fi.Addr, dst mr.Remote) error {
	return ep.rma.Write(src, to, dst, 0, nil, fi.OpInject)
}

// WriteData is Write with data that a completion at the target shows (fi_writedata).
//
// Ownership and errors: as Write.
func (ep *Endpoint) WriteData(src []byte, data uint64, to fi.Addr, dst mr.Remote, ctx any) error {
	return ep.rma.Write(src, to, dst, data, ctx, ep.txFlags|fi.OpRemoteCQData)
}

// InjectWriteData is InjectWrite with data that a completion at the target shows (fi_inject_writedata).
//
// Ownership and errors: as InjectWrite.
func (ep *Endpoint) InjectWriteData(src []byte, data uint64, to fi.Addr, dst mr.Remote) error {
	return ep.rma.Write(src, to, dst, data, nil, fi.OpInject|fi.OpRemoteCQData)
}

func remote(r mr.Remote, iov [][]byte) []fi.RMAIov {
	n := 0
	for _, b := range iov {
		n += len(b)
	}
	return []fi.RMAIov{{Addr: r.Addr, Len: uint64(n), Key: r.Key}}
}

// readFlags are the flags of ReadMsg.
const readFlags = fi.OpCompletion | fi.OpMore | fi.OpFence | levels

// Map gives load and store access to n bytes of a peer's region, where the provider can: shared memory does, for regions
// in memory of mr.Alloc with both remote rights. unmap ends the access; the slice must not be used afterwards. It may
// wait for the peer, up to ctx. There is no C call for it.
//
// Errors: fi.ErrOpNotSupp where there is no such access, fi.ErrKeyRejected, fi.ErrInvalid, fi.ErrAccess as Read.
func (ep *Endpoint) Map(ctx context.Context, to fi.Addr, at mr.Remote, n int) (mem []byte, unmap func() error, err error) {
	c := ep.core
	if err := c.open("map"); err != nil {
		return nil, nil, err
	}
	if c.info.Caps&fi.CapRMA == 0 {
		return nil, nil, c.fail("map", fi.ErrNoSys, "the endpoint was opened without FI_RMA")
	}
	c.mu.Lock()
	enabled := c.enabled && c.drv != nil
	c.mu.Unlock()
	m, ok := driver.Ability[driver.Mapper](c.drv)
	if !ok && enabled {
		return nil, nil, c.fail("map", fi.ErrOpNotSupp, "the provider has no load and store access to peers: use Read and Write")
	}
	if !enabled {
		return nil, nil, c.fail("map", fi.ErrOpBadState, "the endpoint is not enabled: call Enable first")
	}
	if n <= 0 {
		return nil, nil, c.fail("map", fi.ErrInvalid, fmt.Sprintf("%d bytes: the length must be positive", n))
	}
	if c.av != nil {
		to = c.av.ctx.place(to)
	}
	mem, unmap, err = m.Map(ctx, to, at, n)
	return mem, unmap, c.fail("map", err, mapHint(err))
}

func mapHint(err error) string {
	switch {
	case errors.Is(err, fi.ErrKeyRejected):
		return "the peer has no region with this key: ask it for MR.Remote of a region that is open"
	case errors.Is(err, fi.ErrAccess):
		return "the peer registers the region with fi.AccessRemoteRead and fi.AccessRemoteWrite"
	case errors.Is(err, fi.ErrInvalid):
		return "no such peer in the address vector, or the range is not inside the peer's region"
	case errors.Is(err, fi.ErrConnReset), errors.Is(err, fi.ErrConnRefused):
		return "the peer is not there: insert it again when it is"
	case errors.Is(err, fi.ErrOpNotSupp):
		return "the region lies in several buffers: the peer registers one of mr.Alloc"
	}
	return ""
}
