package lnx_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/providers/lnx"
)

// spy is a provider; it keeps the endpoint that was opened last.
type spy struct {
	driver.Provider
	ep driver.Endpoint
}

func (s *spy) OpenFabric(info *fi.Info) (driver.Fabric, error) {
	f, err := s.Provider.OpenFabric(info)
	return spyFabric{f, s}, err
}

type spyFabric struct {
	driver.Fabric
	s *spy
}

func (f spyFabric) OpenDomain(info *fi.Info) (driver.Domain, error) {
	d, err := f.Fabric.OpenDomain(info)
	if err != nil {
		return nil, err
	}
	return spyDomain{d, f.s}, nil
}

type spyDomain struct {
	driver.Domain
	s *spy
}

func (d spyDomain) OpenEndpoint(info *fi.Info) (driver.Endpoint, error) {
	ep, err := d.Domain.OpenEndpoint(info)
	d.s.ep = ep
	return ep, err
}

// node is what a process of an application has.
type node struct {
	t    testing.TB
	spy  *spy
	d    *fabric.Domain
	av   *fabric.AV
	q    *fabric.CQ
	ep   *fabric.Endpoint
	name []byte
}

const allCaps = fi.CapMsg | fi.CapTagged | fi.CapRMA | fi.CapAtomic | fi.CapDirectedRecv | fi.CapSource

// open makes a node with variables of its own.
func open(t testing.TB, env map[string]string, change ...func(*fi.Hints)) *node {
	t.Helper()
	return openProvider(t, linked(env), change...)
}

// openProvider makes a node of another provider.
func openProvider(t testing.TB, prov driver.Provider, change ...func(*fi.Hints)) *node {
	t.Helper()
	n := &node{t: t, spy: &spy{Provider: prov}}
	hints := &fi.Hints{Caps: allCaps, EP: &fi.EPAttr{Type: fi.EPRDM}, Domain: &fi.DomainAttr{}}
	for _, f := range change {
		f(hints)
	}
	reg := fabric.WithRegistry(fabric.NewRegistry(n.spy))
	infos, err := fabric.GetInfo(context.Background(), hints, reg)
	n.check(err)
	f, err := fabric.Open(infos[0], reg)
	n.check(err)
	n.d, err = f.OpenDomain(infos[0])
	n.check(err)
	n.av, err = n.d.OpenAV(nil)
	n.check(err)
	n.q, err = n.d.OpenCQ(&fi.CQAttr{Format: fi.CQFormatTagged, WaitObj: fi.WaitUnspec})
	n.check(err)
	n.ep, err = n.d.OpenEndpoint(infos[0])
	n.check(err)
	n.check(n.ep.BindAV(n.av))
	n.check(n.ep.BindCQ(n.q, fi.BindTransmit|fi.BindRecv))
	n.check(n.ep.Enable())
	n.name, err = n.ep.Name()
	n.check(err)
	t.Cleanup(func() { n.check(errors.Join(n.ep.Close(), n.q.Close(), n.av.Close(), n.d.Close(), f.Close())) })
	return n
}

func (n *node) check(err error) {
	n.t.Helper()
	if err != nil {
		n.t.Fatal(err)
	}
}

// knows inserts a peer.
func (n *node) knows(o *node) fi.Addr {
	n.t.Helper()
	var a [1]fi.Addr
	_, err := n.av.Insert([][]byte{o.name}, a[:], 0)
	n.check(err)
	return a[0]
}

func (n *node) route(a fi.Addr) string { return lnx.Route(n.spy.ep, a) }

// next waits for a completion, which may be an error.
func (n *node) next() (e cq.Entry, bad *cq.ErrEntry) {
	n.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var one [1]cq.Entry
	_, err := n.q.SRead(ctx, one[:])
	if errors.Is(err, fi.ErrAvail) {
		bad = new(cq.ErrEntry)
		n.check(n.q.ReadErr(bad))
		return bad.Entry, bad
	}
	n.check(err)
	return one[0], nil
}

// done waits for a completion that is a success.
func (n *node) done() cq.Entry {
	n.t.Helper()
	e, bad := n.next()
	if bad != nil {
		n.t.Fatalf("%v: %s", bad.Err, bad.Text)
	}
	return e
}
