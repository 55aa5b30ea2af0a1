package selftalk

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// Talk is an endpoint that has itself as its only peer, with index 0.
type Talk struct {
	t      testing.TB
	Info   *fi.Info
	Fabric *fabric.Fabric
	Domain *fabric.Domain
	EP     *fabric.Endpoint
	CQ     *fabric.CQ
	AV     *fabric.AV
}

// Open opens an endpoint of a provider with some capabilities; the test's end closes it.
func Open(t testing.TB, p driver.Provider, caps fi.Caps, opts ...fabric.Option) *Talk {
	t.Helper()
	opts = append([]fabric.Option{fabric.WithRegistry(fabric.NewRegistry(p))}, opts...)
	infos, err := fabric.GetInfo(context.Background(), &fi.Hints{Caps: caps, EP: &fi.EPAttr{Type: fi.EPRDM}}, opts...)
	if err != nil {
		t.Fatal(err)
	}
	k := &Talk{t: t, Info: infos[0]}
	t.Cleanup(k.Close)
	must(t, &k.Fabric)(fabric.Open(k.Info, opts...))
	must(t, &k.Domain)(k.Fabric.OpenDomain(k.Info))
	must(t, &k.EP)(k.Domain.OpenEndpoint(k.Info))
	must(t, &k.CQ)(k.Domain.OpenCQ(&fi.CQAttr{Size: 64, WaitObj: fi.WaitUnspec}))
	must(t, &k.AV)(k.Domain.OpenAV(nil))
	k.Check(k.EP.BindCQ(k.CQ, fi.BindTransmit|fi.BindRecv), k.EP.BindAV(k.AV), k.EP.Enable())
	name, err := k.EP.Name()
	k.Check(err)
	_, err = k.AV.Insert([][]byte{name}, nil, 0)
	k.Check(err)
	return k
}

func must[T any](t testing.TB, to *T) func(T, error) {
	return func(v T, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		*to = v
	}
}

// Check fails the test for an error.
func (k *Talk) Check(errs ...error) {
	k.t.Helper()
	if err := errors.Join(errs...); err != nil {
		k.t.Fatal(err)
	}
}

// Read waits for n completions; errors among them are skipped and counted.
func (k *Talk) Read(n int) (good []cq.Entry, bad int) {
	k.t.Helper()
	ctx, end := context.WithTimeout(context.Background(), 30*time.Second)
	defer end()
	for len(good)+bad < n {
		var e [1]cq.Entry
		_, err := k.CQ.SRead(ctx, e[:])
		switch {
		case err == nil:
			good = append(good, e[0])
		case errors.Is(err, fi.ErrAvail):
			k.Check(k.CQ.ReadErr(new(cq.ErrEntry)))
			bad++
		default:
			k.t.Fatalf("%d of %d completions came: %v", len(good)+bad, n, err)
		}
	}
	return good, bad
}

// Close closes what is open.
func (k *Talk) Close() {
	k.t.Helper()
	if k.EP != nil {
		k.Check(k.EP.Close())
	}
	if k.AV != nil {
		k.Check(k.AV.Close())
	}
	if k.CQ != nil {
		k.Check(k.CQ.Close())
	}
	if k.Domain != nil {
		k.Check(k.Domain.Close())
	}
	if k.Fabric != nil {
		k.Check(k.Fabric.Close())
	}
	k.EP, k.AV, k.CQ, k.Domain, k.Fabric = nil, nil, nil, nil, nil
}
