package conformance

import (
	"context"
	"errors"
	"net"
	"strings"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
)

var _ = add("wrong",
	testCase{name: "before-enable", need: msg | tagged | rma | atom, where: local, run: beforeEnable},
	testCase{name: "enable-without", need: msg, where: local, run: enableWithout},
	testCase{name: "bind-twice", need: msg, where: local, run: bindTwice},
	testCase{name: "bind-after-enable", need: msg, where: local, run: bindAfterEnable},
	testCase{name: "other-domain", need: msg, where: local, run: otherDomain},
	testCase{name: "nil", need: msg, where: local, run: nilObjects},
	testCase{name: "close-order", need: msg | tagged | rma, where: local, kind: core, run: closeOrder},
	testCase{name: "close-twice", need: msg, where: local, run: closeTwice},
	testCase{name: "use-after-close", need: msg | tagged | rma | atom, where: local, run: useAfterClose},
	testCase{name: "enable-fails", need: msg, where: local, run: enableFails},
)

// bare gives a domain with nothing in it, and an endpoint that is not bound.
func (t *test) bare() (*side, *fabric.Endpoint) {
	s := t.newSide(t.opts(t.tc.need))
	ep, err := s.n.dom.OpenEndpoint(s.n.info)
	t.check(err)
	s.n.later(ep.Close)
	return s, ep
}

// says checks an error's number and that its text helps.
func (t *test) says(err error, want fi.Errno, words ...string) {
	if !isErr(err, want) {
		t.Errorf("%v, want %v", err, want)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q does not say %q", err, w)
		}
	}
}

// beforeEnable makes every call on an endpoint that is not enabled.
func beforeEnable(t *test) {
	s, ep := t.bare()
	for group, calls := range groupCalls(ep) {
		for name, f := range calls {
			if name == "AtomicValid" || group == fi.CapCollective && ep.Info().Caps&group == 0 {
				continue
			}
			err := f()
			if name == "Map" && errors.Is(err, fi.ErrOpNotSupp) { // never, enabled or not
				continue
			}
			if !errors.Is(err, fi.ErrOpBadState) {
				t.Errorf("%s before Enable: %v, want FI_EOPBADSTATE", name, err)
			}
		}
	}
	t.says(ep.Cancel(nil), fi.ErrOpBadState, "Enable")
	_, err := ep.Name()
	t.says(err, fi.ErrOpBadState, "Enable")
	t.check(ep.BindCQ(s.n.txq, fi.BindTransmit|fi.BindRecv))
	t.check(ep.BindAV(s.n.av))
	t.check(ep.Enable()) // nothing was spoilt
}

func enableWithout(t *test) {
	s, ep := t.bare()
	t.says(ep.Enable(), fi.ErrNoAV, "BindAV")
	t.check(ep.BindAV(s.n.av))
	t.says(ep.Enable(), fi.ErrNoCQ, "BindCQ", "BindTransmit")
	t.check(ep.BindCQ(s.n.txq, fi.BindTransmit))
	t.says(ep.Enable(), fi.ErrNoCQ, "BindCQ", "BindRecv")
	t.check(ep.BindCQ(s.n.rxq, fi.BindRecv))
	t.check(ep.Enable())
	t.says(ep.Enable(), fi.ErrOpBadState, "enabled")
}

func bindTwice(t *test) {
	s, ep := t.bare()
	c := s.counter(nil)
	t.says(ep.BindCQ(s.n.txq, 0), fi.ErrBadFlags)
	t.says(ep.BindCQ(s.n.txq, fi.BindSelectiveCompletion), fi.ErrBadFlags)
	t.says(ep.BindCQ(s.n.txq, 1<<3), fi.ErrBadFlags)
	t.check(ep.BindCQ(s.n.txq, fi.BindTransmit))
	t.says(ep.BindCQ(s.n.rxq, fi.BindTransmit), fi.ErrInvalid)
	t.says(ep.BindCQ(s.n.rxq, fi.BindTransmit|fi.BindRecv), fi.ErrInvalid)
	t.check(ep.BindCQ(s.n.txq, fi.BindRecv)) // the same queue for the other direction
	t.check(ep.BindAV(s.n.av))
	t.says(ep.BindAV(s.n.av), fi.ErrInvalid)
	t.says(ep.BindCounter(c, 0), fi.ErrBadFlags)
	t.says(ep.BindCounter(c, 1<<40), fi.ErrBadFlags)
	t.check(ep.BindCounter(c, fi.CountSend))
	t.says(ep.BindCounter(c, fi.CountSend), fi.ErrInvalid)
	t.says(ep.BindCounter(c, fi.CountSend|fi.CountRecv), fi.ErrInvalid)
	t.check(ep.BindCounter(c, fi.CountRecv)) // the refused call has bound nothing
	if s.n.info.Caps&fi.CapRMAEvent == 0 {
		t.says(ep.BindCounter(c, fi.CountRemoteWrite), fi.ErrInvalid, "FI_RMA_EVENT")
	}
	t.check(ep.Close())
}

func bindAfterEnable(t *test) {
	s, ep := t.bare()
	t.check(ep.BindCQ(s.n.txq, fi.BindTransmit|fi.BindRecv))
	t.check(ep.BindAV(s.n.av))
	t.check(ep.Enable())
	c := s.counter(nil)
	v := t.av(s.n.dom, nil)
	t.says(ep.BindCQ(s.n.rxq, fi.BindRecv), fi.ErrOpBadState, "Enable")
	t.says(ep.BindAV(v), fi.ErrOpBadState, "Enable")
	t.says(ep.BindCounter(c, fi.CountSend), fi.ErrOpBadState, "Enable")
	if s.shares() {
		srx, err := s.n.dom.OpenSharedRx(s.n.info)
		t.check(err)
		t.says(ep.BindSharedRx(srx), fi.ErrOpBadState, "Enable")
		t.check(srx.Close())
	}
	if s.sharesTx() {
		stx, err := s.n.dom.OpenSharedTx(s.n.info)
		t.check(err)
		t.says(ep.BindSharedTx(stx), fi.ErrOpBadState, "Enable")
		t.check(stx.Close())
	}
	t.check(v.Close()) // nothing of this has a user
}

func otherDomain(t *test) {
	_, ep := t.bare()
	o := t.newSide(t.opts(t.tc.need))
	c := o.counter(nil)
	t.says(ep.BindCQ(o.n.txq, fi.BindTransmit), fi.ErrDomain, "domain")
	t.says(ep.BindAV(o.n.av), fi.ErrDomain, "domain")
	t.says(ep.BindCounter(c, fi.CountSend), fi.ErrDomain, "domain")
	if o.shares() {
		srx, err := o.n.dom.OpenSharedRx(o.n.info)
		t.check(err)
		t.says(ep.BindSharedRx(srx), fi.ErrDomain, "domain")
		t.check(srx.Close())
	}
	if o.sharesTx() {
		stx, err := o.n.dom.OpenSharedTx(o.n.info)
		t.check(err)
		t.says(ep.BindSharedTx(stx), fi.ErrDomain, "domain")
		t.check(stx.Close())
	}
	info := o.n.info.Clone()
	info.Domain.Name = "another"
	_, err := o.n.dom.OpenEndpoint(info)
	t.says(err, fi.ErrDomain, "another")
	info.Fabric.ProvName = "another"
	_, err = o.n.fab.OpenDomain(info)
	t.says(err, fi.ErrInvalid, "another")
	_, err = fabric.Open(info, fabric.WithRegistry(o.from))
	t.says(err, fi.ErrNoDev, "another")
}

func nilObjects(t *test) {
	s, ep := t.bare()
	t.says(ep.BindCQ(nil, fi.BindTransmit), fi.ErrInvalid)
	t.says(ep.BindAV(nil), fi.ErrInvalid)
	t.says(ep.BindCounter(nil, fi.CountSend), fi.ErrInvalid)
	t.says(ep.BindSharedRx(nil), fi.ErrInvalid)
	t.says(ep.BindSharedTx(nil), fi.ErrInvalid)
	_, err := s.n.dom.OpenEndpoint(nil)
	t.says(err, fi.ErrInvalid, "GetInfo")
	_, err = s.n.dom.OpenSharedRx(nil)
	t.says(err, fi.ErrInvalid, "GetInfo")
	_, err = s.n.dom.OpenSharedTx(nil)
	t.says(err, fi.ErrInvalid, "GetInfo")
	_, err = s.n.dom.OpenScalable(nil)
	t.says(err, fi.ErrInvalid, "GetInfo")
	_, err = s.n.fab.OpenDomain(nil)
	t.says(err, fi.ErrInvalid, "GetInfo")
	_, err = fabric.Open(nil, fabric.WithRegistry(s.from))
	t.says(err, fi.ErrInvalid, "GetInfo")
}

// closeOrder closes everything in wrong orders: FI_EBUSY with the list of what is open, and nothing is lost by that.
func closeOrder(t *test) {
	reg := fabric.NewRegistry(t.suite.h.Provider)
	infos, err := t.ask(t.cell.set.hints(t.tc.need))
	t.check(err)
	f, err := fabric.Open(infos[0], fabric.WithRegistry(reg))
	t.check(err)
	d, err := f.OpenDomain(infos[0])
	t.check(err)
	t.says(f.Close(), fi.ErrBusy, "1 domain")
	q, err := d.OpenCQ(nil)
	t.check(err)
	c, err := d.OpenCounter(nil)
	t.check(err)
	v, err := d.OpenAV(nil)
	t.check(err)
	m, err := d.RegisterMR(make([]byte, 64), remoteRights, &fi.MRAttr{Key: 1})
	t.check(err)
	sub, err := m.Sub(0, 8, &fi.MRAttr{Key: 2})
	t.check(err)
	srx, err := d.OpenSharedRx(infos[0])
	t.check(err)
	ep, err := d.OpenEndpoint(infos[0])
	t.check(err)
	t.check(ep.BindCQ(q, fi.BindTransmit|fi.BindRecv))
	t.check(ep.BindAV(v))
	t.check(ep.BindCounter(c, fi.CountSend))
	t.check(ep.BindSharedRx(srx))
	t.check(ep.Enable())
	for range 2 {
		t.says(d.Close(), fi.ErrBusy, "1 ep", "1 srx", "1 cq", "1 cntr", "1 av", "2 mr")
		t.says(q.Close(), fi.ErrBusy, "1 ep")
		t.says(c.Close(), fi.ErrBusy, "1 ep")
		t.says(v.Close(), fi.ErrBusy, "1 ep")
		t.says(srx.Close(), fi.ErrBusy, "1 ep")
		t.says(m.Close(), fi.ErrBusy, "1 mr")
		t.says(f.Close(), fi.ErrBusy, "1 domain")
	}
	name, err := ep.Name() // it works still
	t.check(err)
	_, err = v.Insert([][]byte{name}, nil, 0)
	t.check(err)
	t.check(srx.TRecv(make([]byte, 8), anyone, 0, 0, nil))
	t.check(ep.TSend(make([]byte, 8), 0, 0, nil))
	r := &reader{s: &side{t: t}, q: q}
	r.next()
	r.next()
	t.check(ep.Close())
	t.says(d.Close(), fi.ErrBusy, "1 srx", "1 cq", "1 cntr", "1 av", "2 mr")
	t.check(sub.Close())
	for _, x := range []interface{ Close() error }{srx, m, v, c, q} {
		t.says(d.Close(), fi.ErrBusy)
		t.check(x.Close())
	}
	t.check(d.Close())
	t.check(f.Close())
}

func closeTwice(t *test) {
	s, ep := t.bare()
	t.check(ep.Close())
	t.check(ep.Close())
	for _, x := range []interface{ Close() error }{s.counter(nil), t.av(s.n.dom, nil)} {
		t.check(x.Close())
		t.check(x.Close())
	}
	s.shut(false)
	for range 3 {
		t.check(s.n.close())
		t.check(s.n.fab.Close())
		t.check(s.n.dom.Close())
		t.check(s.n.txq.Close())
		t.check(s.n.av.Close())
	}
}

// useAfterClose calls everything on objects that are closed, also when all above them are: an error that says so, and
// no panic.
func useAfterClose(t *test) {
	s := t.open(1)[0]
	ep, q, av, d, f, c := s.n.eps[0], s.n.rxq, s.n.av, s.n.dom, s.n.fab, s.n.cnt[0]
	info := s.n.info
	m, err := d.RegisterMR(make([]byte, 64), remoteRights, &fi.MRAttr{Key: 1})
	t.check(err)
	t.check(m.Close())
	s.shut(false)
	check := func() {
		closed := func(what string, err error) {
			if !errors.Is(err, fi.ErrBadFD) || !errors.Is(err, net.ErrClosed) {
				t.Errorf("%s after Close: %v, want FI_EBADF", what, err)
			}
		}
		for group, calls := range groupCalls(ep) {
			for name, f := range calls {
				if name != "AtomicValid" && (group != fi.CapCollective || ep.Info().Caps&group != 0) {
					closed("Endpoint."+name, f())
				}
			}
		}
		closed("Endpoint.Cancel", ep.Cancel(nil))
		closed("Endpoint.Enable", ep.Enable())
		closed("Endpoint.BindAV", ep.BindAV(av))
		_, err := m.Sub(0, 8, nil)
		closed("MR.Sub", err)
		closed("MR.Enable", m.Enable())
	}
	check()
	t.check(s.n.close())
	check()
	closed := func(what string, err error) {
		if !errors.Is(err, fi.ErrBadFD) || !errors.Is(err, net.ErrClosed) {
			t.Errorf("%s after Close: %v, want FI_EBADF", what, err)
		}
	}
	var e [1]cq.Entry
	for range 100 { // every so often a read drives the domain
		_, err = q.Read(e[:])
		closed("CQ.Read", err)
	}
	closed("CQ.ReadErr", q.ReadErr(&cq.ErrEntry{}))
	_, err = q.SRead(context.Background(), e[:])
	closed("CQ.SRead", err)
	closed("CQ.Signal", q.Signal())
	closed("CQ.TryWait", q.TryWait())
	_, err = q.FD()
	closed("CQ.FD", err)
	for range 100 {
		c.Read()
		c.ReadErr()
	}
	closed("Counter.Wait", c.Wait(context.Background(), 1<<60))
	_, err = c.FD()
	closed("Counter.FD", err)
	_, err = av.Insert([][]byte{s.names[0]}, nil, 0)
	closed("AV.Insert", err)
	_, err = av.InsertSvc(context.Background(), "", "x", 0)
	closed("AV.InsertSvc", err)
	_, err = av.InsertSym(context.Background(), "", 1, "1", 1, 0)
	closed("AV.InsertSym", err)
	_, err = av.Lookup(0)
	closed("AV.Lookup", err)
	closed("AV.Remove", av.Remove([]fi.Addr{0}))
	_, err = d.OpenEndpoint(info)
	closed("Domain.OpenEndpoint", err)
	_, err = d.OpenCQ(nil)
	closed("Domain.OpenCQ", err)
	_, err = d.OpenCounter(nil)
	closed("Domain.OpenCounter", err)
	_, err = d.OpenAV(nil)
	closed("Domain.OpenAV", err)
	_, err = d.OpenSharedRx(info)
	closed("Domain.OpenSharedRx", err)
	_, err = d.RegisterMR(make([]byte, 8), remoteRights, nil)
	closed("Domain.RegisterMR", err)
	_, err = d.QueryAtomic(fi.AtomicBase, fi.TypeInt32, fi.AtomicSum)
	closed("Domain.QueryAtomic", err)
	_, err = f.OpenDomain(info)
	closed("Fabric.OpenDomain", err)
}

// enableFails has Enable fail for a reason that goes away: the endpoint can be enabled then.
func enableFails(t *test) {
	s, ep := t.bare()
	if err := ep.SetName(s.names[0]); err != nil {
		return // addresses cannot be chosen
	}
	t.check(ep.BindCQ(s.n.txq, fi.BindTransmit|fi.BindRecv))
	t.check(ep.BindAV(s.n.av))
	for range 3 {
		t.says(ep.Enable(), fi.ErrAddrInUse)
		if err := ep.Send(nil, 0, nil); !errors.Is(err, fi.ErrOpBadState) {
			t.Errorf("a send after Enable failed: %v", err)
		}
	}
	t.check(s.n.eps[0].Close())
	t.check(ep.Enable())
}
