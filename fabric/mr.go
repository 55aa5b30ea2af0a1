package fabric

import (
	"fmt"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/zlog"
	"github.com/gofabric/gofabric/mr"
)

// MR is a registered memory region (struct fid_mr, fi_mr(3)).
type MR struct {
	object
	r      *mr.Region
	domain *Domain
	cntr   []*Counter
	blocks []*mr.Block // of mr.Alloc, which must not be freed meanwhile
}

// RegisterMR registers buf (fi_mr_reg, and fi_mr_regattr with attr: its Iov and Access are then taken from the
// arguments). A nil attr asks for key 0, so a domain takes one region that way; see below and [Domain.RegisterMRAttr].
//
// The application chooses the keys, and each region that is open in a domain has its own: give it in MRAttr.Key. Only in a
// domain whose MRMode has fi.MRModeProvKey does the provider choose: then the key asked for is of no account, nil will do for
// every region, and MR.Key and MR.Remote tell which one it got. Hints say only that a program can live with that; to have it
// from the providers here, add fi.MRModeProvKey to Domain.MRMode of the Info before OpenDomain.
//
// Ownership: buf stays referenced until Close.
// Errors: as RegisterMRAttr.
func (d *Domain) RegisterMR(buf []byte, access fi.Access, attr *fi.MRAttr) (*MR, error) {
	a := fi.MRAttr{}
	if attr != nil {
		a = *attr
	}
	a.Iov, a.Access = [][]byte{buf}, access
	return d.RegisterMRAttr(&a)
}

// RegisterMRV registers several buffers as one region of consecutive offsets (fi_mr_regv). At most the Info's
// Domain.MRIovLimit.
//
// Ownership and errors: as RegisterMR.
func (d *Domain) RegisterMRV(iov [][]byte, access fi.Access, attr *fi.MRAttr) (*MR, error) {
	a := fi.MRAttr{}
	if attr != nil {
		a = *attr
	}
	a.Iov, a.Access = iov, access
	return d.RegisterMRAttr(&a)
}

// RegisterMRAttr registers memory (fi_mr_regattr). With MRAttr.AuthKey only peers that have come with this authorization
// key may access the region; others get fi.ErrAccess. Peers map no such region ([Endpoint.Map]). With fi.MRRMAEvent and FI_MR_RMA_EVENT in the domain's mode the
// region works after Enable.
//
// Ownership: the memory stays referenced until Close.
// Errors: fi.ErrInvalid for no memory, an empty region, an offset or too many buffers; fi.ErrNoKey when the key is in
// use; fi.ErrKeyRejected when the key is longer than Domain.MRKeySize; fi.ErrBadFlags; fi.ErrNoSys for device memory, and for
// an authorization key where there are none; fi.ErrOpNotSupp in a domain with Domain.AVAuthKey ([Domain.RegisterMRKeyed]).
func (d *Domain) RegisterMRAttr(a *fi.MRAttr) (*MR, error) {
	if err := d.open("mr_reg"); err != nil {
		return nil, err
	}
	if d.keyer != nil {
		return nil, d.fail("mr_reg", fi.ErrOpNotSupp, "regions of this domain are for peers with keys of a vector: call RegisterMRKeyed")
	}
	return d.registerAttr(a, nil)
}

// registerAttr registers memory for the peers that admits lets in; nil: for all.
func (d *Domain) registerAttr(a *fi.MRAttr, admits func([]byte, [32]byte) bool) (*MR, error) {
	if a == nil {
		return nil, d.fail("mr_reg", fi.ErrInvalid, "the attributes are nil: give at least Iov and Access")
	}
	if err := d.checkMR(a); err != nil {
		return nil, err
	}
	m, err := d.register(a, nil, admits)
	if err != nil {
		return nil, err
	}
	m.init("mr", d.prov, &d.object)
	return m, nil
}

func (d *Domain) checkMR(a *fi.MRAttr) error {
	const rights = fi.AccessSend | fi.AccessRecv | fi.AccessRead | fi.AccessWrite | fi.AccessRemoteRead | fi.AccessRemoteWrite | fi.AccessCollective
	total := 0
	for _, b := range a.Iov {
		total += len(b)
	}
	switch {
	case len(a.Iov) == 0 || total == 0:
		return d.fail("mr_reg", fi.ErrInvalid, "the region is empty: give at least one byte")
	case len(a.Iov) > max(d.info.Domain.MRIovLimit, 1):
		return d.fail("mr_reg", fi.ErrInvalid, fmt.Sprintf("%d buffers, at most %d (mr_iov_limit): register them in several regions", len(a.Iov), d.info.Domain.MRIovLimit))
	case a.Offset != 0:
		return d.fail("mr_reg", fi.ErrInvalid, "the offset must be 0: give the buffer from its first byte on")
	case a.Access&^rights != 0:
		return d.fail("mr_reg", fi.ErrBadFlags, "unknown access rights: combine fi.AccessSend, fi.AccessRecv and their kin")
	case a.Flags&^(fi.MRRMAEvent|fi.MRSingleUse) != 0:
		return d.fail("mr_reg", fi.ErrBadFlags, "flags that are not served: "+(a.Flags&^(fi.MRRMAEvent|fi.MRSingleUse)).String()+"; give fi.MRRMAEvent, fi.MRSingleUse or none")
	case len(a.AuthKey) > 0 && d.keyer != nil:
		return d.fail("mr_reg", fi.ErrInvalid, "the domain's keys are in vectors: call RegisterMRKeyed, and leave MRAttr.AuthKey empty")
	case a.Iface != fi.HMEMSystem:
		return d.fail("mr_reg", fi.ErrNoSys, "no device memory here ("+a.Iface.String()+"): register system memory")
	}
	if size := d.info.Domain.MRKeySize; d.info.Domain.MRMode&fi.MRModeProvKey == 0 && size < 8 && a.Key>>(8*size) != 0 {
		return d.fail("mr_reg", fi.ErrKeyRejected, fmt.Sprintf("key %#x is longer than %d bytes (mr_key_size): choose a smaller one", a.Key, size))
	}
	return nil
}

func (d *Domain) register(a *fi.MRAttr, parent *mr.Region, admits func([]byte, [32]byte) bool) (*MR, error) {
	if admits == nil {
		var err error
		if admits, err = d.admitsKey(a.AuthKey); err != nil {
			return nil, err
		}
	}
	r := &mr.Region{Admits: both(parent, admits), Key: a.Key, Access: a.Access, Flags: a.Flags, Context: a.Context, Parent: parent}
	for _, b := range a.Iov {
		if len(b) > 0 {
			r.Parts = append(r.Parts, b[:len(b):len(b)])
			r.Len += uint64(len(b))
		}
	}
	mode := d.info.Domain.MRMode
	r.Enabled = mode&fi.MRModeEndpoint == 0 && (mode&fi.MRModeRMAEvent == 0 || a.Flags&fi.MRRMAEvent == 0)
	if mode&fi.MRModeVirtAddr != 0 {
		r.Base = mr.VirtualAddress(r.Parts[0])
	}
	if err := d.drv.RegisterMR(r); err != nil {
		return nil, d.fail("mr_reg", err, keyHint(err, a.Key))
	}
	if log := d.logger(zlog.MR); log.On(zlog.Debug) {
		log.Debug("memory registered", "key", fmt.Sprintf("%#x", r.Key), "bytes", r.Len, "access", r.Access)
	}
	d.totals.change(func(s *fi.DomainStats) {
		s.MRs++
		s.Registered++
		s.MRBytes += r.Len
		s.MostBytes = max(s.MostBytes, s.MRBytes)
	})
	m := &MR{r: r, domain: d}
	for _, part := range r.Parts {
		if b, _ := mr.Find(part); b != nil {
			b.Retain()
			m.blocks = append(m.blocks, b)
		}
	}
	return m, nil
}

func keyHint(err error, key uint64) string {
	if err == fi.ErrNoKey { //nolint:errorlint // providers give it bare
		return fmt.Sprintf("key %#x is in use: choose another one in MRAttr.Key, or close the region that has it", key)
	}
	return ""
}

// Key is what peers need to reach the region (fi_mr_key).
func (m *MR) Key() uint64 { return m.r.Key }

// Desc is the region's local descriptor, for message forms (fi_mr_desc).
func (m *MR) Desc() fi.Desc { return fi.Desc(m.r.Key) }

// Remote is what a peer uses to reach the region's first byte: send it to whoever shall.
func (m *MR) Remote() mr.Remote { return m.r.Remote() }

// Len is the region's length in bytes.
func (m *MR) Len() uint64 { return m.r.Len }

// Bytes is the registered memory; nil when it has several parts.
func (m *MR) Bytes() []byte { return m.r.Bytes() }

// Sub registers n bytes at off of the region under a key and with rights of their own, which must be among the region's
// (fi_mr_regattr with base_mr). The region cannot be closed before it.
//
// Errors: fi.ErrInvalid when the range is not inside, fi.ErrAccess for more rights than the region has, and those of
// RegisterMRAttr.
func (m *MR) Sub(off uint64, n int, attr *fi.MRAttr) (*MR, error) {
	d := m.domain
	if err := m.open("mr_reg"); err != nil {
		return nil, err
	}
	a := fi.MRAttr{Access: m.r.Access}
	if attr != nil {
		a = *attr
	}
	if n <= 0 || off > m.r.Len || uint64(n) > m.r.Len-off {
		return nil, m.fail("mr_reg", fi.ErrInvalid, fmt.Sprintf("%d bytes at %d are not inside the region of %d bytes", n, off, m.r.Len))
	}
	if a.Access&^m.r.Access != 0 {
		return nil, m.fail("mr_reg", fi.ErrAccess, "more rights than the region has: register the region with them")
	}
	a.Iov = m.r.Pieces(nil, off, n)
	if err := d.checkMR(&a); err != nil {
		return nil, err
	}
	s, err := d.register(&a, m.r, nil)
	if err != nil {
		return nil, err
	}
	s.init("mr", d.prov, &m.object)
	d.hold(&s.object)
	return s, nil
}

// BindCounter counts remote accesses to the region: fi.CountRemoteWrite, fi.CountRemoteRead or both (fi_mr_bind). It
// needs FI_RMA_EVENT. An operation counts once at each counter, also when several of its ranges are in regions that have it.
//
// Errors: fi.ErrBadFlags for other flags, fi.ErrInvalid without fi.MRRMAEvent among the region's flags or when one is
// bound, fi.ErrDomain for a counter of another domain.
func (m *MR) BindCounter(c *Counter, what fi.CountFlags) error {
	if err := m.open("mr_bind"); err != nil {
		return err
	}
	switch {
	case c == nil:
		return m.fail("mr_bind", fi.ErrInvalid, "the counter is nil: make one with Domain.OpenCounter")
	case what == 0 || what&^(fi.CountRemoteRead|fi.CountRemoteWrite) != 0:
		return m.fail("mr_bind", fi.ErrBadFlags, "give fi.CountRemoteWrite, fi.CountRemoteRead or both")
	case c.domain != m.domain:
		return m.fail("mr_bind", fi.ErrDomain, "the counter belongs to another domain: open one in the region's")
	case m.r.Flags&fi.MRRMAEvent == 0:
		return m.fail("mr_bind", fi.ErrInvalid, "give fi.MRRMAEvent in MRAttr.Flags when the region is registered")
	}
	m.domain.eng.Lock()
	defer m.domain.eng.Unlock()
	if what&fi.CountRemoteWrite != 0 && m.r.OnWrite != nil || what&fi.CountRemoteRead != 0 && m.r.OnRead != nil {
		return m.fail("mr_bind", fi.ErrInvalid, "the region has a counter for that: one for each direction")
	}
	if what&fi.CountRemoteWrite != 0 {
		m.r.OnWrite = c.c
	}
	if what&fi.CountRemoteRead != 0 {
		m.r.OnRead = c.c
	}
	c.hold(&m.object)
	m.cntr = append(m.cntr, c)
	return nil
}

// BindEndpoint ties the region to an endpoint where the domain's mode has FI_MR_ENDPOINT (fi_mr_bind); elsewhere it does
// nothing.
//
// Errors: fi.ErrInvalid for nil, fi.ErrDomain for an endpoint of another domain.
func (m *MR) BindEndpoint(ep *Endpoint) error {
	switch {
	case ep == nil:
		return m.fail("mr_bind", fi.ErrInvalid, "the endpoint is nil: make one with Domain.OpenEndpoint")
	case ep.core.domain != m.domain:
		return m.fail("mr_bind", fi.ErrDomain, "the endpoint belongs to another domain: register the memory there")
	}
	return nil
}

// Enable makes a region usable that was registered for events or is tied to an endpoint (fi_mr_enable); others are
// usable at once, and Enable does nothing.
func (m *MR) Enable() error {
	if err := m.open("mr_enable"); err != nil {
		return err
	}
	m.domain.eng.Lock()
	m.r.Enabled = true
	m.domain.eng.Unlock()
	return nil
}

// Refresh says that the pages behind a part of the region have changed (fi_mr_refresh). The software providers need no
// such news.
//
// Errors: fi.ErrInvalid for a range that is not inside.
func (m *MR) Refresh(off uint64, n int) error {
	if n < 0 || off > m.r.Len || uint64(n) > m.r.Len-off {
		return m.fail("mr_refresh", fi.ErrInvalid, fmt.Sprintf("%d bytes at %d are not inside the region of %d bytes", n, off, m.r.Len))
	}
	return nil
}

// Close ends all access to the region (fi_close): later remote accesses fail at their initiators; memory that peers
// have mapped is not used for anything else while one of them is still inside. fi.ErrBusy while sub-regions are open;
// closing twice does nothing.
func (m *MR) Close() error {
	done, err := m.beginClose()
	if done || err != nil {
		return err
	}
	err = m.domain.drv.CloseMR(m.r)
	m.domain.totals.change(func(s *fi.DomainStats) {
		s.MRs--
		s.MRBytes -= m.r.Len
	})
	for _, b := range m.blocks {
		b.Release()
	}
	for _, c := range m.cntr {
		c.drop(&m.object)
	}
	if m.r.Parent != nil {
		m.domain.drop(&m.object)
	}
	m.endClose()
	return m.fail("mr_close", err, "")
}
