package functional

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/pattern"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
)

// scalableBits name a receive context in an address.
const scalableBits = 2

// scalable is a scalable endpoint with a queue for each of its contexts.
type scalable struct {
	s      *session.Session
	av     *fabric.AV
	sep    *fabric.ScalableEndpoint
	tx, rx []*fabric.Endpoint
	txq    []*fabric.CQ
	rxq    []*fabric.CQ
	bufs   [][]byte // that receive contexts receive into
}

// runScalable has the client send a message by each of its transmit contexts to the receive context with that number.
func runScalable(env *scenario.Env) error {
	s, err := session.Open(env, session.Need{Caps: fi.CapMsg | fi.CapNamedRxCtx, Size: session.CtrlSize})
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // Leave has closed it when all went well
	c := &scalable{s: s}
	err = c.run(env)
	if err = errors.Join(err, c.close()); err != nil {
		return err
	}
	return s.Leave()
}

func (c *scalable) run(env *scenario.Env) error {
	if err := c.open(); err != nil {
		return err
	}
	peer, err := c.meet()
	if err != nil {
		return err
	}
	for i := range c.tx {
		if c.s.Client {
			fmt.Fprintf(env.Out, "Posting send for ctx: %d\n", i)
			err = c.send(i, fi.RxAddr(peer, i, scalableBits))
		} else {
			fmt.Fprintf(env.Out, "wait for recv completion for ctx: %d\n", i)
			err = c.receive(i)
		}
		if err != nil {
			return err
		}
	}
	return c.s.Sync()
}

// open opens the endpoint with as many contexts as the provider has, up to three, and posts a receive on each that
// receives.
func (c *scalable) open() (err error) {
	info := c.s.Info.Clone()
	info.SrcAddr = nil // the session's endpoint has that
	count := min(3, info.Domain.MaxEPTxCtx, info.Domain.MaxEPRxCtx)
	info.EP.TxCtxCount, info.EP.RxCtxCount = count, count
	if c.sep, err = c.s.Domain.OpenScalable(info); err != nil {
		return fail.Call("fi_scalable_ep", err)
	}
	if c.av, err = c.s.Domain.OpenAV(&fi.AVAttr{Type: info.Domain.AVType, Count: 1, RxCtxBits: scalableBits}); err != nil {
		return fail.Call("fi_av_open", err)
	}
	if err = c.sep.BindAV(c.av); err != nil {
		return fail.Call("fi_scalable_ep_bind", err)
	}
	if err = c.sep.Enable(); err != nil {
		return fail.Call("fi_enable", err)
	}
	for i := range count {
		if err := c.openContexts(i); err != nil {
			return err
		}
	}
	return nil
}

func (c *scalable) openContexts(i int) error {
	tx, err := c.sep.TxContext(i, nil)
	if err != nil {
		return fail.Call("fi_tx_context", err)
	}
	c.tx = append(c.tx, tx)
	rx, err := c.sep.RxContext(i, nil)
	if err != nil {
		return fail.Call("fi_rx_context", err)
	}
	c.rx = append(c.rx, rx)
	for _, b := range []struct {
		ep  *fabric.Endpoint
		dir fi.BindFlags
		qs  *[]*fabric.CQ
	}{{tx, fi.BindTransmit, &c.txq}, {rx, fi.BindRecv, &c.rxq}} {
		q, err := c.s.Domain.OpenCQ(nil)
		if err != nil {
			return fail.Call("fi_cq_open", err)
		}
		*b.qs = append(*b.qs, q)
		if err := b.ep.BindCQ(q, b.dir); err != nil {
			return fail.Call("fi_ep_bind", err)
		}
		if err := b.ep.Enable(); err != nil {
			return fail.Call("fi_enable", err)
		}
	}
	c.bufs = append(c.bufs, make([]byte, session.CtrlSize))
	return fail.Call("fi_recv", rx.Recv(c.bufs[i], fi.AddrUnspec, nil))
}

// meet tells the peer the address, by a message of the session, and takes the peer's.
func (c *scalable) meet() (fi.Addr, error) {
	name, err := c.sep.Name()
	if err != nil {
		return 0, fail.Call("fi_getname", err)
	}
	tell := func() error {
		clear(c.s.Tx[:session.CtrlSize])
		copy(c.s.Tx, name)
		return c.s.Send(session.CtrlSize)
	}
	if c.s.Client {
		if err := tell(); err != nil {
			return 0, err
		}
	}
	if err := c.s.WaitRx(c.s.RxSeq); err != nil {
		return 0, err
	}
	var peer [1]fi.Addr
	if _, err := c.av.Insert([][]byte{c.s.Rx[:session.CtrlSize]}, peer[:], 0); err != nil {
		return 0, fail.Call("fi_av_insert", err)
	}
	if err := c.s.Repost(); err != nil || c.s.Client {
		return peer[0], err
	}
	return peer[0], tell()
}

// send sends the message of a context.
func (c *scalable) send(i int, to fi.Addr) error {
	buf := make([]byte, session.CtrlSize)
	pattern.FillAt(buf, i)
	for {
		err := c.tx[i].Send(buf, to, nil)
		if err == nil {
			break
		}
		if !errors.Is(err, fi.ErrAgain) {
			return fail.Call("fi_send", c.tx[i].Explain(err))
		}
		if err := c.s.Progress(); err != nil {
			return err
		}
	}
	_, err := c.s.Next(c.txq[i])
	return err
}

// receive waits for the message of a context, and looks at it.
func (c *scalable) receive(i int) error {
	e, err := c.s.Next(c.rxq[i])
	if err != nil {
		return err
	}
	if e.Len != session.CtrlSize {
		return fail.Call("check_recv_msg", fmt.Errorf("%d bytes came to context %d, not %d: %w", e.Len, i, session.CtrlSize, fi.ErrIO))
	}
	want := make([]byte, session.CtrlSize)
	pattern.FillAt(want, i)
	if !bytes.Equal(c.bufs[i], want) {
		return fail.Call("check_recv_msg", fmt.Errorf("context %d has not the message of the context with its number: %w", i, fi.ErrIO))
	}
	return nil
}

// close closes contexts before what they use.
func (c *scalable) close() error {
	var errs []error
	for _, ep := range append(c.rx, c.tx...) {
		errs = append(errs, ep.Close())
	}
	for _, q := range append(c.rxq, c.txq...) {
		errs = append(errs, q.Close())
	}
	if c.sep != nil {
		errs = append(errs, c.sep.Close())
	}
	if c.av != nil {
		errs = append(errs, c.av.Close())
	}
	return fail.Call("fi_close", errors.Join(errs...))
}
