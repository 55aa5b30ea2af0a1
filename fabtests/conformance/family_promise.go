package conformance

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

var _ = add("promise",
	testCase{name: "every-info-opens", where: local, run: everyInfoOpens},
	testCase{name: "hints-are-met", where: local, run: hintsMet},
	testCase{name: "wrong-hints-are-named", where: local, run: wrongHints},
	testCase{name: "only-msg", need: msg, where: local, run: func(t *test) { notAdvertised(t, msg) }},
	testCase{name: "only-tagged", need: tagged, where: local, run: func(t *test) { notAdvertised(t, tagged) }},
	testCase{name: "only-rma", need: rma, where: local, run: func(t *test) { notAdvertised(t, rma) }},
	testCase{name: "only-atomic", need: atom, where: local, run: func(t *test) { notAdvertised(t, atom) }},
	testCase{name: "only-collective", need: colls, where: local, run: func(t *test) { notAdvertised(t, colls) }},
	testCase{name: "not-offered", where: local, run: notOffered},
	testCase{name: "directions", need: msg | tagged | rma, where: local, run: directions},
	testCase{name: "defaults-are-harmless", where: local, run: harmless},
)

// env is an empty environment: the suite's questions do not depend on the user's.
func env(string) (string, bool) { return "", false }

func (t *test) ask(h *fi.Hints) ([]*fi.Info, error) {
	reg := fabric.NewRegistry(t.suite.h.Provider)
	return fabric.GetInfo(context.Background(), h, fabric.WithRegistry(reg), fabric.WithEnv(env))
}

// everyInfoOpens opens everything that is listed, with what was asked.
func everyInfoOpens(t *test) {
	reg := fabric.NewRegistry(t.suite.h.Provider)
	groups := []fi.Caps{msg, tagged, rma, atom, fi.CapDirectedRecv, fi.CapTaggedDirectedRecv, fi.CapExactDirectedRecv,
		fi.CapAVUserID, fi.CapSource, fi.CapSourceErr | fi.CapSource, fi.CapRMAEvent, fi.CapFence, colls}
	for i := range 1 << len(groups) {
		if i%7 != 0 && !*long { // enough of them
			continue
		}
		var caps fi.Caps
		for k, g := range groups {
			if i>>k&1 != 0 {
				caps |= g
			}
		}
		s := t.cell.set
		infos, err := t.ask(s.hints(caps))
		if err != nil {
			continue // it says why; the rules between capabilities are tested elsewhere
		}
		for _, info := range infos {
			if info.Caps&caps != caps {
				t.Fatalf("asked for %v, got %v", caps, info.Caps)
			}
			if extra := info.Caps & fi.PrimaryCaps &^ caps; caps&fi.PrimaryCaps != 0 && extra != 0 {
				t.Fatalf("asked for %v, got the primary capabilities %v too", caps, extra)
			}
			f, err := fabric.Open(info, fabric.WithRegistry(reg))
			if err != nil {
				t.Fatalf("%v is listed and cannot be opened: %v", caps, err)
			}
			d, err := f.OpenDomain(info)
			if err != nil {
				t.Fatalf("%v: the domain is listed and cannot be opened: %v", caps, err)
			}
			ep, err := d.OpenEndpoint(info)
			if err != nil {
				t.Fatalf("%v: the endpoint is listed and cannot be opened: %v", caps, err)
			}
			t.check(ep.Close())
			t.check(d.Close())
			t.check(f.Close())
		}
	}
}

// hintsMet asks for numbers and sets that are offered, each alone: they come back at least as large.
func hintsMet(t *test) {
	infos, err := t.ask(t.cell.set.hints(0))
	t.check(err)
	i := infos[0]
	for what, h := range map[string]*fi.Hints{
		"inject_size":  {Tx: &fi.TxAttr{InjectSize: i.Tx.InjectSize}},
		"tx size":      {Tx: &fi.TxAttr{Size: i.Tx.Size}},
		"iov_limit":    {Tx: &fi.TxAttr{IovLimit: i.Tx.IovLimit}, Rx: &fi.RxAttr{IovLimit: i.Rx.IovLimit}},
		"max_msg_size": {EP: &fi.EPAttr{MaxMsgSize: i.EP.MaxMsgSize}},
		"msg_order":    {Tx: &fi.TxAttr{MsgOrder: i.Tx.MsgOrder}, Rx: &fi.RxAttr{MsgOrder: i.Rx.MsgOrder}},
		"cq_data_size": {Domain: &fi.DomainAttr{CQDataSize: i.Domain.CQDataSize}},
		"domain name":  {Domain: &fi.DomainAttr{Name: i.Domain.Name}},
		"fabric name":  {Fabric: &fi.FabricAttr{Name: i.Fabric.Name, ProvName: i.Fabric.ProvName}},
		"addr_format":  {AddrFormat: i.AddrFormat},
		"protocol":     {EP: &fi.EPAttr{Protocol: i.EP.Protocol}},
		"rm":           {Domain: &fi.DomainAttr{ResourceMgmt: i.Domain.ResourceMgmt}},
	} {
		if h.Domain == nil {
			h.Domain = &fi.DomainAttr{}
		}
		h.Domain.MRMode = mrModes
		got, err := t.ask(h)
		if err != nil {
			t.Errorf("%s, as offered: %v", what, err)
			continue
		}
		again, err := t.ask(h)
		if err != nil || !reflect.DeepEqual(got, again) {
			t.Errorf("%s: the same question has two answers", what)
		}
	}
}

// wrongHints asks for what nobody has: each refusal names the field.
func wrongHints(t *test) {
	infos, err := t.ask(t.cell.set.hints(0))
	t.check(err)
	i := infos[0]
	for attr, h := range map[string]*fi.Hints{
		"caps":                     {Caps: fi.CapMulticast | fi.CapMsg | fi.CapHMEM},
		"addr_format":              {AddrFormat: fi.AddrFormatEFA},
		"ep_attr.type":             {EP: &fi.EPAttr{Type: 77}},
		"ep_attr.protocol":         {EP: &fi.EPAttr{Protocol: 12345}},
		"ep_attr.max_msg_size":     {EP: &fi.EPAttr{MaxMsgSize: ^uint64(0)}},
		"domain_attr.name":         {Domain: &fi.DomainAttr{Name: "nosuchdomain"}},
		"domain_attr.cq_data_size": {Domain: &fi.DomainAttr{CQDataSize: 99}},
		"domain_attr.mr_key_size":  {Domain: &fi.DomainAttr{MRKeySize: 99}},
		"domain_attr.mr_iov_limit": {Domain: &fi.DomainAttr{MRIovLimit: i.Domain.MRIovLimit + 1}},
		"fabric_attr.name":         {Fabric: &fi.FabricAttr{Name: "nosuchfabric"}},
		"fabric_attr.api_version":  {Fabric: &fi.FabricAttr{APIVersion: fi.MakeVersion(99, 0)}},
		"tx_attr.inject_size":      {Tx: &fi.TxAttr{InjectSize: i.Tx.InjectSize + 1}},
		"tx_attr.iov_limit":        {Tx: &fi.TxAttr{IovLimit: i.Tx.IovLimit + 1}},
		"tx_attr.rma_iov_limit":    {Tx: &fi.TxAttr{RMAIovLimit: i.Tx.RMAIovLimit + 1}},
		"tx_attr.size":             {Tx: &fi.TxAttr{Size: i.Tx.Size + 1}},
		"tx_attr.op_flags":         {Tx: &fi.TxAttr{OpFlags: fi.OpPeek}},
		"tx_attr.msg_order":        {Tx: &fi.TxAttr{MsgOrder: 1 << 20}},
		"rx_attr.iov_limit":        {Rx: &fi.RxAttr{IovLimit: i.Rx.IovLimit + 1}},
		"rx_attr.op_flags":         {Rx: &fi.RxAttr{OpFlags: fi.OpFence}},
		"rx_attr.size":             {Rx: &fi.RxAttr{Size: i.Rx.Size + 1}},
	} {
		if h.Domain == nil {
			h.Domain = &fi.DomainAttr{}
		}
		h.Domain.MRMode |= mrModes
		if h.EP == nil {
			h.EP = &fi.EPAttr{}
		}
		if h.EP.Type == 0 && t.cell.set.datagrams() { // others have more
			h.EP.Type = fi.EPDgram
		}
		_, err := t.ask(h)
		var no *fabric.NoMatchError
		if !errors.As(err, &no) || !errors.Is(err, fi.ErrNoData) {
			t.Errorf("%s: %v, want a NoMatchError", attr, err)
			continue
		}
		found := false
		for _, r := range no.Rejections {
			found = found || r.Attr == attr
		}
		if !found || !strings.Contains(fmt.Sprintf("%+v", err), attr) {
			t.Errorf("%s is not named by %+v", attr, err)
		}
	}
}

// groupCalls are calls of each group on an endpoint.
func groupCalls(ep *fabric.Endpoint) map[fi.Caps]map[string]func() error {
	b := make([]byte, 8)
	iov := [][]byte{b}
	r := mr.Remote{}
	ranges := []fi.RMAIov{{Len: 8}}
	rm := &fi.RMAMsg{Iov: iov, RMAIov: ranges}
	const dt, sum, swap = fi.TypeUint64, fi.AtomicSum, fi.AtomicCSwap
	am, cm := &fi.AtomicMsg{Iov: iov, RMAIov: ranges, Datatype: dt, Op: sum}, &fi.AtomicMsg{Iov: iov, RMAIov: ranges, Datatype: dt, Op: swap}
	return map[fi.Caps]map[string]func() error{
		msg: {
			"Send":       func() error { return ep.Send(b, 0, nil) },
			"SendV":      func() error { return ep.SendV(iov, 0, nil) },
			"SendMsg":    func() error { return ep.SendMsg(&fi.Msg{Iov: iov}, 0) },
			"SendData":   func() error { return ep.SendData(b, 1, 0, nil) },
			"Inject":     func() error { return ep.Inject(b, 0) },
			"InjectData": func() error { return ep.InjectData(b, 1, 0) },
			"Recv":       func() error { return ep.Recv(b, anyone, nil) },
			"RecvV":      func() error { return ep.RecvV(iov, anyone, nil) },
			"RecvMsg":    func() error { return ep.RecvMsg(&fi.Msg{Iov: iov, Addr: anyone}, 0) },
		},
		tagged: {
			"TSend":       func() error { return ep.TSend(b, 0, 1, nil) },
			"TSendV":      func() error { return ep.TSendV(iov, 0, 1, nil) },
			"TSendMsg":    func() error { return ep.TSendMsg(&fi.TaggedMsg{Iov: iov}, 0) },
			"TSendData":   func() error { return ep.TSendData(b, 1, 0, 1, nil) },
			"TInject":     func() error { return ep.TInject(b, 0, 1) },
			"TInjectData": func() error { return ep.TInjectData(b, 1, 0, 1) },
			"TRecv":       func() error { return ep.TRecv(b, anyone, 1, 0, nil) },
			"TRecvV":      func() error { return ep.TRecvV(iov, anyone, 1, 0, nil) },
			"TRecvMsg":    func() error { return ep.TRecvMsg(&fi.TaggedMsg{Iov: iov, Addr: anyone}, fi.OpPeek) },
		},
		rma: {
			"Write":           func() error { return ep.Write(b, 0, r, nil) },
			"WriteV":          func() error { return ep.WriteV(iov, 0, r, nil) },
			"WriteMsg":        func() error { return ep.WriteMsg(rm, 0) },
			"WriteData":       func() error { return ep.WriteData(b, 1, 0, r, nil) },
			"InjectWrite":     func() error { return ep.InjectWrite(b, 0, r) },
			"InjectWriteData": func() error { return ep.InjectWriteData(b, 1, 0, r) },
			"Read":            func() error { return ep.Read(b, 0, r, nil) },
			"ReadV":           func() error { return ep.ReadV(iov, 0, r, nil) },
			"ReadMsg":         func() error { return ep.ReadMsg(rm, 0) },
			"Map": func() error {
				_, _, err := ep.Map(context.Background(), 0, r, 8)
				return err
			},
		},
		colls: {
			"JoinCollective": func() error {
				_, err := ep.JoinCollective(anyone, nil, 0, nil)
				return err
			},
			"Barrier":       func() error { return ep.Barrier(0, nil) },
			"Barrier2":      func() error { return ep.Barrier2(0, 0, nil) },
			"Broadcast":     func() error { return ep.Broadcast(b, 0, 0, dt, 0, nil) },
			"Alltoall":      func() error { return ep.Alltoall(b, b, 0, dt, 0, nil) },
			"Allreduce":     func() error { return ep.Allreduce(b, b, 0, dt, sum, 0, nil) },
			"Allgather":     func() error { return ep.Allgather(b, b, 0, dt, 0, nil) },
			"ReduceScatter": func() error { return ep.ReduceScatter(b, b, 0, dt, sum, 0, nil) },
			"Reduce":        func() error { return ep.Reduce(b, b, 0, 0, dt, sum, 0, nil) },
			"Scatter":       func() error { return ep.Scatter(b, b, 0, 0, dt, 0, nil) },
			"Gather":        func() error { return ep.Gather(b, b, 0, 0, dt, 0, nil) },
			"QueryCollective": func() error {
				_, err := ep.Domain().QueryCollective(fi.CollBarrier, fi.TypeVoid, 0)
				return err
			},
		},
		atom: {
			"Atomic":           func() error { return ep.Atomic(b, 0, r, dt, sum, nil) },
			"AtomicV":          func() error { return ep.AtomicV(iov, 0, r, dt, sum, nil) },
			"AtomicMsg":        func() error { return ep.AtomicMsg(am, 0) },
			"InjectAtomic":     func() error { return ep.InjectAtomic(b, 0, r, dt, sum) },
			"FetchAtomic":      func() error { return ep.FetchAtomic(b, b, 0, r, dt, sum, nil) },
			"FetchAtomicV":     func() error { return ep.FetchAtomicV(iov, iov, 0, r, dt, sum, nil) },
			"FetchAtomicMsg":   func() error { return ep.FetchAtomicMsg(am, iov, 0) },
			"CompareAtomic":    func() error { return ep.CompareAtomic(b, b, b, 0, r, dt, swap, nil) },
			"CompareAtomicV":   func() error { return ep.CompareAtomicV(iov, iov, iov, 0, r, dt, swap, nil) },
			"CompareAtomicMsg": func() error { return ep.CompareAtomicMsg(cm, iov, iov, 0) },
			"AtomicValid": func() error {
				_, err := ep.AtomicValid(dt, sum)
				return err
			},
		},
	}
}

// notAdvertised opens an endpoint for one group: every call of the others is FI_ENOSYS, also when it is not enabled yet
// a call says so.
func notAdvertised(t *test, caps fi.Caps) {
	s := t.newSide(t.opts(caps))
	ep := s.n.eps[0]
	for group, calls := range groupCalls(ep) {
		if group == caps {
			continue
		}
		for name, f := range calls {
			if err := f(); !errors.Is(err, fi.ErrNoSys) || !errors.Is(err, errors.ErrUnsupported) {
				t.Errorf("%s on an endpoint with %v: %v, want FI_ENOSYS", name, caps, err)
			}
		}
	}
}

// notOffered asks for each capability that the provider does not have: no match, and for those that an endpoint's calls
// belong to the calls do not exist.
func notOffered(t *test) {
	for bit := range 64 {
		c := fi.Caps(1) << bit
		if c&(fi.PrimaryCaps|fi.SecondaryCaps) == 0 || c&t.cell.offered != 0 {
			continue
		}
		if _, err := t.ask(t.cell.set.hints(c)); !errors.Is(err, fi.ErrNoData) {
			t.Errorf("%v is not offered, and asking for it gives %v", c, err)
		}
	}
}

// directions opens endpoints for one direction: calls of the other do not exist.
func directions(t *test) {
	for _, x := range []struct {
		caps fi.Caps
		yes  []string
		no   []string
	}{
		{msg | tagged | fi.CapSend, nil, []string{"Recv", "RecvV", "RecvMsg", "TRecv", "TRecvV", "TRecvMsg"}},
		{msg | tagged | fi.CapRecv, []string{"Recv", "TRecv"}, []string{"Send", "SendV", "SendMsg", "SendData", "Inject", "InjectData",
			"TSend", "TSendV", "TSendMsg", "TSendData", "TInject", "TInjectData"}},
		{rma | fi.CapRead, nil, []string{"Write", "WriteV", "WriteMsg", "WriteData", "InjectWrite", "InjectWriteData"}},
		{rma | fi.CapWrite, nil, []string{"Read", "ReadV", "ReadMsg"}},
		{rma | fi.CapRemoteRead | fi.CapRemoteWrite, nil, []string{"Read", "ReadV", "ReadMsg", "Write", "InjectWrite"}},
	} {
		s := t.newSide(t.opts(x.caps))
		if got := s.n.info.Caps & fi.ModifierCaps; got != x.caps&fi.ModifierCaps {
			t.Errorf("asked for %v, got %v", x.caps&fi.ModifierCaps, got)
		}
		all := map[string]func() error{}
		for _, calls := range groupCalls(s.n.eps[0]) {
			maps.Copy(all, calls)
		}
		for _, name := range x.no {
			if err := all[name](); !errors.Is(err, fi.ErrNoSys) {
				t.Errorf("%s on an endpoint with %v: %v, want FI_ENOSYS", name, x.caps, err)
			}
		}
		for _, name := range x.yes {
			t.check(all[name]())
		}
		if len(x.yes) > 0 { // what was posted comes back when the endpoint closes
			t.check(s.n.eps[0].Close())
			r := s.reader()
			for range x.yes {
				r.fails(fi.ErrCanceled)
			}
			s.uncounted = true
		}
	}
}

// harmless opens what is listed for no hints at all, as a newcomer does: plain calls work.
func harmless(t *test) {
	infos, err := t.ask(nil)
	t.check(err)
	for _, i := range infos {
		if i.Caps&(fi.CapExactDirectedRecv|fi.CapSourceErr|colls) != 0 {
			t.Errorf("%v takes something away from who has not asked", i.Caps&(fi.CapExactDirectedRecv|fi.CapSourceErr|colls))
		}
	}
	p := t.pair(func(o *openOpts) { o.Caps = 0 })
	p.exchange(call{Form: "send", N: 8, Seed: 1}, call{Form: "recv", N: 8})
	if t.cell.offered&tagged != 0 {
		p.exchange(call{Form: "tsend", N: 8, Seed: 1}, call{Form: "trecv", N: 8})
	}
}
