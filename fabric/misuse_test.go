package fabric_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
	"github.com/gofabric/gofabric/providers/mem"
)

// misused opens an endpoint that is enabled.
func misused(t *testing.T) (*fabric.Domain, *fabric.Endpoint, *fabric.AV, *fi.Info) {
	t.Helper()
	infos, err := fabric.GetInfo(context.Background(), &fi.Hints{EP: &fi.EPAttr{Type: fi.EPRDM}}, fabric.WithRegistry(fabric.NewRegistry(mem.New())), nil, fabric.WithRegistry(nil))
	if err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	f, err := fabric.Open(infos[0], fabric.WithRegistry(fabric.NewRegistry(mem.New())))
	must(err)
	d, err := f.OpenDomain(infos[0])
	must(err)
	q, err := d.OpenCQ(nil)
	must(err)
	av, err := d.OpenAV(nil)
	must(err)
	ep, err := d.OpenEndpoint(infos[0])
	must(err)
	must(ep.BindCQ(q, fi.BindTransmit|fi.BindRecv))
	must(ep.BindAV(av))
	must(ep.Enable())
	t.Cleanup(func() {
		for _, c := range []interface{ Close() error }{ep, av, q, d, f} {
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	return d, ep, av, infos[0]
}

// TestBindCounterSaysWhere wants the cure to name the field in which the flag stands.
func TestBindCounterSaysWhere(t *testing.T) {
	d, _, _, _ := misused(t)
	m, err := d.RegisterMR(make([]byte, 8), fi.AccessRemoteWrite, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := d.OpenCounter(nil)
	if err != nil {
		t.Fatal(err)
	}
	err = m.BindCounter(c, fi.CountRemoteWrite)
	if !errors.Is(err, fi.ErrInvalid) || !strings.Contains(err.Error(), "fi.MRRMAEvent in MRAttr.Flags") {
		t.Errorf("got %v", err)
	}
	if err := errors.Join(m.Close(), c.Close()); err != nil {
		t.Error(err)
	}
}

// Forms without a message, and registrations without attributes, are refused.
func TestNilArguments(t *testing.T) {
	d, ep, _, _ := misused(t)
	for name, f := range map[string]func() error{
		"SendMsg":          func() error { return ep.SendMsg(nil, 0) },
		"RecvMsg":          func() error { return ep.RecvMsg(nil, 0) },
		"TSendMsg":         func() error { return ep.TSendMsg(nil, 0) },
		"TRecvMsg":         func() error { return ep.TRecvMsg(nil, 0) },
		"ReadMsg":          func() error { return ep.ReadMsg(nil, 0) },
		"WriteMsg":         func() error { return ep.WriteMsg(nil, 0) },
		"AtomicMsg":        func() error { return ep.AtomicMsg(nil, 0) },
		"FetchAtomicMsg":   func() error { return ep.FetchAtomicMsg(nil, nil, 0) },
		"CompareAtomicMsg": func() error { return ep.CompareAtomicMsg(nil, nil, nil, 0) },
		"RegisterMRAttr":   func() error { _, err := d.RegisterMRAttr(nil); return err },
	} {
		if err := f(); !errors.Is(err, fi.ErrInvalid) {
			t.Errorf("%s of nil: %v, want FI_EINVAL", name, err)
		}
	}
}

// An endpoint is not opened with an Info that asks for more than the domain has.
func TestInfoBeyondTheDomain(t *testing.T) {
	d, _, _, info := misused(t)
	for name, change := range map[string]func(i *fi.Info){
		"another type":      func(i *fi.Info) { i.EP.Type = fi.EPDgram },
		"an unknown type":   func(i *fi.Info) { i.EP.Type = 77 },
		"all capabilities":  func(i *fi.Info) { i.Caps = ^fi.Caps(0) },
		"Tx.Size -1":        func(i *fi.Info) { i.Tx.Size = -1 },
		"Tx.Size 1<<60":     func(i *fi.Info) { i.Tx.Size = 1 << 60 },
		"Rx.Size -1":        func(i *fi.Info) { i.Rx.Size = -1 },
		"Tx.IovLimit 1000":  func(i *fi.Info) { i.Tx.IovLimit = 1000 },
		"Tx.InjectSize -1":  func(i *fi.Info) { i.Tx.InjectSize = -1 },
		"Tx.InjectSize 1Ti": func(i *fi.Info) { i.Tx.InjectSize = 1 << 40 },
	} {
		i := info.Clone()
		change(i)
		if ep, err := d.OpenEndpoint(i); !errors.Is(err, fi.ErrInvalid) {
			t.Errorf("%s: %v, want FI_EINVAL", name, err)
			if err == nil {
				ep.Close()
			}
		}
	}
}

// Memory of mr.Alloc is not freed while a region of it is registered, with any provider.
func TestFreeWhileRegistered(t *testing.T) {
	d, _, _, _ := misused(t)
	m, err := mr.Alloc(4096)
	if err != nil {
		t.Fatal(err)
	}
	r, err := d.RegisterMR(m.Bytes()[100:200], fi.AccessRemoteWrite, &fi.MRAttr{Key: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Free(); !errors.Is(err, fi.ErrBusy) {
		t.Fatalf("Free while registered: %v, want FI_EBUSY", err)
	}
	if err := errors.Join(r.Close(), m.Free()); err != nil {
		t.Error(err)
	}
}

// Counting up addresses is bounded, ends with the context, and carries from byte to byte.
func TestInsertSymBounds(t *testing.T) {
	_, _, av, _ := misused(t)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if _, err := av.InsertSym(ctx, "10.0.0.1", 1<<30, "5", 1<<30, 0); !errors.Is(err, fi.ErrInvalid) {
		t.Errorf("2^60 addresses: %v, want FI_EINVAL", err)
	}
	cancel()
	if _, err := av.InsertSym(ctx, "10.0.0.1", 2, "5", 2, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %v", err)
	}
}
