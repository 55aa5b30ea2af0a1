package fabric_test

import (
	"context"
	"errors"
	"testing"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fi"
)

// TestFirstMinutes7Mistakes makes the mistakes that everybody makes: the text names each, and the call that mends it.
func TestFirstMinutes7Mistakes(t *testing.T) {
	buf := []byte("hello")
	for _, c := range []struct {
		mistake string
		make    func(t *testing.T) error
		is      fi.Errno
		text    string
	}{
		{"forgetting Enable", func(t *testing.T) error {
			_, ep, q, av := unbound(fi.CapMsg)
			check(errors.Join(ep.BindCQ(q, fi.BindTransmit|fi.BindRecv), ep.BindAV(av)))
			return ep.Explain(ep.Send(buf, 0, nil))
		}, fi.ErrOpBadState,
			"mem: ep: FI_EOPBADSTATE: not possible in this state of the object (the endpoint is not enabled: call Enable, after BindCQ and BindAV)"},
		{"binding the queue without the transmit flag", func(t *testing.T) error {
			_, ep, q, av := unbound(fi.CapMsg)
			check(errors.Join(ep.BindCQ(q, fi.BindRecv), ep.BindAV(av)))
			return ep.Enable()
		}, fi.ErrNoCQ,
			"mem: enable: FI_ENOCQ: no completion queue (nothing would tell when its sends are done: call BindCQ with " +
				"fi.BindTransmit, or BindCounter with fi.CountSend, first)"},
		{"sending before the insertion", func(t *testing.T) error {
			_, ep, q, av := unbound(fi.CapMsg)
			check(errors.Join(ep.BindCQ(q, fi.BindTransmit|fi.BindRecv), ep.BindAV(av), ep.Enable()))
			return ep.Explain(ep.Send(buf, 0, nil))
		}, fi.ErrInvalid,
			"mem: ep: fi_mem://1: FI_EINVAL: invalid argument (the address vector is empty: call AV.Insert with the peer's Name " +
				"before the first operation, and use the address that it gives)"},
		{"using the key of a closed region", func(t *testing.T) error {
			d, ep, q, av := unbound(fi.CapRMA)
			check(errors.Join(ep.BindCQ(q, fi.BindTransmit|fi.BindRecv), ep.BindAV(av), ep.Enable()))
			must(av.Insert([][]byte{must(ep.Name())}, nil, 0))
			region := must(d.RegisterMR(make([]byte, 8), fi.AccessRemoteWrite, &fi.MRAttr{Key: 3}))
			at := region.Remote()
			check(errors.Join(region.Close(), ep.Write(buf, 0, at, nil)))
			_, err := q.SRead(context.Background(), make([]cq.Entry, 1))
			return q.Explain(err)
		}, fi.ErrKeyRejected,
			"FI_RMA, FI_WRITE: FI_EKEYREJECTED: key was rejected by service: the peer has no region with this key: it was closed, " +
				"used up or not enabled, or the key is another peer's; ask the peer for MR.Remote of a region that is open"},
		{"binding to a region that is closed", func(t *testing.T) error {
			d, _, _, _ := unbound(fi.CapRMA)
			region := must(d.RegisterMR(make([]byte, 8), fi.AccessRemoteWrite, nil))
			check(region.Close())
			return region.Enable()
		}, fi.ErrBadFD,
			"mem: mr_enable: mr: FI_EBADF: object closed or bad file descriptor (mr is closed: make another one with Domain.RegisterMR)"},
		{"using an endpoint that is closed", func(t *testing.T) error {
			_, ep, _, _ := unbound(fi.CapMsg)
			check(ep.Close())
			return ep.Explain(ep.Send(buf, 0, nil))
		}, fi.ErrBadFD,
			"mem: ep: FI_EBADF: object closed or bad file descriptor (ep is closed: make another one with Domain.OpenEndpoint)"},
		{"closing what is in use", func(t *testing.T) error {
			d, _, _, _ := unbound(fi.CapMsg)
			return d.Close()
		}, fi.ErrBusy,
			"mem: domain_close: FI_EBUSY: device or resource busy (close first what uses it: 1 ep, 1 cq, 1 av)"},
		{"using a group that was not asked for", func(t *testing.T) error {
			_, ep, q, av := unbound(fi.CapMsg)
			check(errors.Join(ep.BindCQ(q, fi.BindTransmit|fi.BindRecv), ep.BindAV(av), ep.Enable()))
			return ep.Explain(ep.TSend(buf, 0, 1, nil))
		}, fi.ErrNoSys,
			"mem: ep: fi_mem://1: FI_ENOSYS: function not implemented (the endpoint has not this group of operations: it has " +
				"FI_MSG; ask for more in the caps of the hints to GetInfo)"},
	} {
		t.Run(c.mistake, func(t *testing.T) {
			err := c.make(t)
			if !errors.Is(err, c.is) {
				t.Errorf("got %v, want %v", err, c.is)
			}
			if err != nil && err.Error() != c.text {
				t.Errorf("\n got %s\nwant %s", err, c.text)
			}
		})
	}
}
