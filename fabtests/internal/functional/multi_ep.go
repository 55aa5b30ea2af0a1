package functional

import (
	"errors"
	"fmt"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/pattern"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/cli"
	"github.com/gofabric/gofabric/mr"
)

// multiEPChoice is what the options of multi_ep say.
type multiEPChoice struct {
	count            int
	sharedAV, oneSet bool
}

func multiEPOptions(o *options.Options) []cli.Option {
	own := &multiEPChoice{count: 3}
	o.Own = own
	return []cli.Option{
		{Short: 'c', Long: "count", Arg: "N", Help: "number of endpoints (3)", Set: options.Number(&own.count, 1, 1<<10)},
		{Short: 'A', Long: "shared-av", Help: "one address vector for all endpoints, instead of one each", Set: options.On(&own.sharedAV)},
		{Short: 'Q', Long: "shared-cq", Help: "one pair of completion queues for all endpoints, instead of one each", Set: options.On(&own.oneSet)},
	}
}

const multiEPSize = 256 // bytes of a message and of a write, unless -S says otherwise

// remoteSize is the length of the message that names a region.
const remoteSize = 24

// runMultiEP has several endpoints of a domain talk to those of the peer, write to their memory, and again with regions
// that were made anew.
func runMultiEP(env *scenario.Env) (err error) {
	size := max(oneSize(env.Opt, multiEPSize), remoteSize)
	beside := env.Opt.EPType != fi.EPMsg || env.Opt.PeerVersion != 0 // C's program has it for connected endpoints, too, and says nothing there
	s, err := session.Open(env, session.Need{Caps: fi.CapMsg | fi.CapRMA, Size: size, OOBAddr: beside, Connects: true})
	if err != nil {
		return err
	}
	m := &multiEP{env: env, s: s, own: env.Opt.Own.(*multiEPChoice), size: size}
	defer func() {
		if closed := m.close(); err == nil {
			err = closed
		}
		if closed := s.Close(); err == nil {
			err = closed
		}
	}()
	fmt.Fprintf(env.Out, "Creating %d EPs\n", m.own.count)
	if err := m.open(); err != nil {
		return err
	}
	for again := range 2 {
		if again > 0 {
			fmt.Fprintln(env.Out, "Testing closing and re-registering all MRs and retesting")
			if err := m.closeRegions(); err != nil {
				return err
			}
		}
		for _, step := range []func() error{m.register, m.sends, m.writes} {
			if err := step(); err != nil {
				return err
			}
		}
	}
	if err := s.Finalize(); err != nil {
		return err
	}
	for _, e := range m.eps {
		if err := e.ep.Shutdown(); s.Connected() && err != nil && !errors.Is(err, fi.ErrNotConn) {
			return fail.Call("fi_shutdown", err)
		}
	}
	return s.Shutdown()
}

// multiEP is one side.
type multiEP struct {
	env  *scenario.Env
	s    *session.Session
	own  *multiEPChoice
	size int
	eps  []*oneOfMany

	asked []fi.EQEntry // requests of the client that came early: it is connected before we hear that we are
}

// oneOfMany is an endpoint with what belongs to it. Queues and address vectors may be those of the first.
type oneOfMany struct {
	ep     *fabric.Endpoint
	av     *fabric.AV
	tx, rx *fabric.CQ
	peer   fi.Addr
	send   []byte
	recv   []byte
	sendMR *fabric.MR
	recvMR *fabric.MR
	remote mr.Remote
}

// open makes the endpoints, each with a peer on the other side.
func (m *multiEP) open() error {
	for i := range m.own.count {
		e := &oneOfMany{peer: fi.AddrUnspec, send: make([]byte, m.size), recv: make([]byte, m.size)}
		m.eps = append(m.eps, e)
		var info *fi.Info
		var err error
		switch {
		case m.s.Connected() && !m.s.Client:
			var asked fi.EQEntry
			asked, err = m.request()
			info = asked.Info
		case m.s.Connected():
			info = m.s.Info
		default:
			info, err = m.s.Anywhere()
		}
		if err != nil {
			return err
		}
		if err := m.prepare(i, info); err != nil {
			return err
		}
		if err := m.reach(e); err != nil {
			return err
		}
	}
	return nil
}

// prepare opens and enables endpoint i.
func (m *multiEP) prepare(i int, info *fi.Info) (err error) {
	e, d := m.eps[i], m.s.Domain
	if e.ep, err = d.OpenEndpoint(info); err != nil {
		return fail.Call("fi_endpoint", err)
	}
	if m.own.oneSet && i > 0 {
		e.tx, e.rx = m.eps[0].tx, m.eps[0].rx
	} else {
		attr := &fi.CQAttr{WaitObj: fi.WaitNone}
		if e.tx, err = d.OpenCQ(attr); err == nil {
			e.rx, err = d.OpenCQ(attr)
		}
		if err != nil {
			return fail.Call("fi_cq_open", err)
		}
	}
	errs := []error{e.ep.BindCQ(e.tx, fi.BindTransmit), e.ep.BindCQ(e.rx, fi.BindRecv)}
	switch {
	case m.s.Connected():
		errs = append(errs, e.ep.BindEQ(m.s.EQ))
	case m.own.sharedAV && i > 0:
		e.av = m.eps[0].av
		errs = append(errs, e.ep.BindAV(e.av))
	default:
		if e.av, err = d.OpenAV(&fi.AVAttr{Type: m.s.Info.Domain.AVType, Count: m.own.count + 1}); err != nil {
			return fail.Call("fi_av_open", err)
		}
		errs = append(errs, e.ep.BindAV(e.av))
	}
	if err := errors.Join(errs...); err != nil {
		return fail.Call("fi_ep_bind", err)
	}
	return fail.Call("fi_enable", e.ep.Enable())
}

// reach finds the peer of an endpoint: by a connection, or by the names that the sides exchange.
func (m *multiEP) reach(e *oneOfMany) error {
	var err error
	switch {
	case !m.s.Connected():
		raw, err := m.s.SwapNames(e.ep)
		if err != nil {
			return err
		}
		var out [1]fi.Addr
		_, err = e.av.Insert([][]byte{raw}, out[:], 0)
		e.peer = out[0]
		return fail.Call("fi_av_insert", err)
	case m.s.Client:
		err = fail.Call("fi_connect", e.ep.Connect(m.s.Info.DestAddr, nil))
	default:
		err = fail.Call("fi_accept", e.ep.Accept(nil))
	}
	if err != nil {
		return err
	}
	for {
		event, err := m.s.AnyEvent()
		switch {
		case err != nil:
			return err
		case event.Event == fi.EventConnReq:
			m.asked = append(m.asked, event)
		case event.Event == fi.EventConnected && event.FID == e.ep:
			return nil
		default:
			return fail.Call("fi_eq_sread", fmt.Errorf("unexpected CM event %v of %T, expected %v: %w", event.Event, event.FID, fi.EventConnected, fi.ErrOther))
		}
	}
}

// request gives the client's next request.
func (m *multiEP) request() (fi.EQEntry, error) {
	if len(m.asked) > 0 {
		next := m.asked[0]
		m.asked = m.asked[1:]
		return next, nil
	}
	return m.s.Request()
}

// register makes regions of all buffers.
func (m *multiEP) register() (err error) {
	const local, remote = fi.AccessSend | fi.AccessRecv | fi.AccessRead | fi.AccessWrite, fi.AccessRemoteRead | fi.AccessRemoteWrite
	for i, e := range m.eps {
		if e.sendMR, err = m.s.Region(m.s.Domain, e.ep, e.send, local, &fi.MRAttr{Key: (session.RegionKey + 1) * uint64(i+1)}); err != nil {
			return err
		}
		if e.recvMR, err = m.s.Region(m.s.Domain, e.ep, e.recv, local|remote, &fi.MRAttr{Key: (session.RegionKey + 2) * uint64(i+2)}); err != nil {
			return err
		}
	}
	return nil
}

func (m *multiEP) closeRegions() error {
	var errs []error
	for _, e := range m.eps {
		for _, r := range []**fabric.MR{&e.sendMR, &e.recvMR} {
			if *r != nil {
				errs = append(errs, (*r).Close())
				*r = nil
			}
		}
	}
	return fail.Call("fi_close", errors.Join(errs...))
}

// close closes what open and register made.
func (m *multiEP) close() error {
	errs := []error{m.closeRegions()}
	for _, e := range m.eps {
		if e.ep != nil {
			errs = append(errs, e.ep.Close())
		}
	}
	for _, e := range m.eps {
		for _, q := range []*fabric.CQ{e.tx, e.rx} { // closing one twice does nothing
			if q != nil {
				errs = append(errs, q.Close())
			}
		}
		if e.av != nil {
			errs = append(errs, e.av.Close())
		}
	}
	return fail.Call("fi_close", errors.Join(errs...))
}

// try posts until there is room.
func (m *multiEP) try(call string, post func() error) error {
	return m.s.Until(func() (bool, error) {
		err := post()
		if err == fi.ErrAgain { //nolint:errorlint // a bare value
			return false, m.progress()
		}
		return true, fail.Call(call, err)
	})
}

// progress drives all endpoints: the peer may be waiting for another one than we are.
func (m *multiEP) progress() error {
	for _, e := range m.eps {
		if _, err := e.rx.Read(nil); err != nil && err != fi.ErrAgain && err != fi.ErrAvail { //nolint:errorlint // bare values
			return fail.Call("fi_cq_read", err)
		}
	}
	return m.s.Progress()
}

// await takes one completion of a queue.
func (m *multiEP) await(q *fabric.CQ) error {
	var e [1]cq.Entry
	return m.s.Until(func() (bool, error) {
		ok, err := m.s.TakeFrom(q, e[:])
		if !ok && err == nil {
			err = m.progress()
		}
		return ok, err
	})
}

func (m *multiEP) receive(e *oneOfMany) error {
	return m.try("fi_recv", func() error { return e.ep.Recv(e.recv, fi.AddrUnspec, e) })
}

func (m *multiEP) transmit(e *oneOfMany, n int) error {
	return m.try("fi_send", func() error { return e.ep.Send(e.send[:n], e.peer, e) })
}

// sends tells each peer where it may write, and learns the same.
func (m *multiEP) sends() error {
	for _, e := range m.eps {
		if err := m.receive(e); err != nil {
			return err
		}
	}
	fmt.Fprintf(m.env.Out, "Send RMA info to all %d remote EPs\n", len(m.eps))
	for _, e := range m.eps {
		copy(e.send, session.RegionMessage(e.recvMR))
		if err := m.transmit(e, remoteSize); err != nil {
			return err
		}
		for _, q := range []*fabric.CQ{e.rx, e.tx} {
			if err := m.await(q); err != nil {
				return err
			}
		}
	}
	fmt.Fprintln(m.env.Out, "Wait for all messages from peer")
	for _, e := range m.eps {
		e.remote = session.RegionOf(e.recv)
	}
	if err := m.sync(); err != nil {
		return err
	}
	fmt.Fprintln(m.env.Out, "PASSED multi ep sends")
	return nil
}

// writes writes to all peers.
func (m *multiEP) writes() error {
	verify := m.s.Opt.Verify
	for _, e := range m.eps {
		if verify {
			pattern.Fill(e.send)
		}
		if err := m.try("fi_write", func() error { return e.ep.Write(e.send, e.peer, e.remote, e) }); err != nil {
			return err
		}
	}
	fmt.Fprintln(m.env.Out, "Wait for all writes from peer")
	for _, e := range m.eps {
		if err := m.await(e.tx); err != nil {
			return err
		}
	}
	if err := m.sync(); err != nil {
		return err
	}
	if verify {
		for _, e := range m.eps {
			if err := pattern.Check(e.recv); err != nil {
				return fail.Call("ft_check_buf", err)
			}
			clear(e.recv)
		}
		fmt.Fprintln(m.env.Out, "Data check OK")
	}
	fmt.Fprintln(m.env.Out, "PASSED multi ep writes")
	return nil
}

// sync exchanges an empty message on each endpoint.
func (m *multiEP) sync() error {
	for _, e := range m.eps {
		if err := m.receive(e); err != nil {
			return err
		}
		if err := m.transmit(e, 0); err != nil {
			return err
		}
		for _, q := range []*fabric.CQ{e.tx, e.rx} {
			if err := m.await(q); err != nil {
				return err
			}
		}
	}
	return nil
}
