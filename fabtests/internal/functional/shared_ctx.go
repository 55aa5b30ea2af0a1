package functional

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/local"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/cli"
)

// sharedCount is the number of endpoints unless --ep-count says otherwise.
const sharedCount = 4

func sharedCtxOptions(o *options.Options) []cli.Option {
	o.Window = sharedCount
	return []cli.Option{
		{Long: "no-tx-shared-ctx", Help: "no shared transmit context", Set: options.On(&o.OneWay)},
		{Long: "no-rx-shared-ctx", Help: "no shared receive context", Set: options.On(&o.NoPrepost)},
		{Long: "ep-count", Arg: "N", Help: "endpoints to open (4)", Set: options.Number(&o.Window, 1, 1<<10)},
	}
}

// sharedCtxHints ask for the contexts that are shared.
func sharedCtxHints(o *options.Options, h *fi.Hints) {
	if !o.OneWay {
		h.EP.TxCtxCount = fi.SharedContext
	}
	if !o.NoPrepost {
		h.EP.RxCtxCount = fi.SharedContext
	}
}

// runSharedCtx has several endpoints with one context for what they receive, or for what they send: each sends a message
// to its peer, and gets one.
func runSharedCtx(env *scenario.Env) error {
	o := env.Opt
	need := session.Need{Caps: connectedCaps(o), Size: session.CtrlSize, Connects: true, Endpoints: o.Window, SharedTx: !o.OneWay, SharedRx: !o.NoPrepost}
	c := &sharedCtx{env: env}
	var err error
	if o.EPType == fi.EPMsg {
		err = c.connect(need)
	} else {
		err = c.introduce(need)
	}
	if c.s != nil {
		defer c.s.Close() //nolint:errcheck // closed below when all went well
	}
	if noSharedTx(err) { // no option of fi_info asks for it
		return &fail.Hint{Err: err, Next: local.Command() + " --no-tx-shared-ctx"}
	}
	if err == nil {
		err = c.exchange()
	}
	if err != nil {
		return err
	}
	return c.s.Close()
}

// noSharedTx tells that an endpoint was refused for its shared transmit context.
func noSharedTx(err error) bool {
	no, ok := errors.AsType[*fabric.NoMatchError](err)
	return ok && slices.ContainsFunc(no.Rejections, func(r fi.Rejection) bool { return r.Attr == "ep_attr.tx_ctx_cnt" })
}

type sharedCtx struct {
	env   *scenario.Env
	s     *session.Session
	peers []fi.Addr // of each endpoint
}

// connect makes a connection for each endpoint.
func (c *sharedCtx) connect(need session.Need) (err error) {
	if c.env.Client {
		err = c.dial(need)
	} else {
		err = c.accept(need)
	}
	if err != nil {
		return err
	}
	for range c.s.EPs {
		c.peers = append(c.peers, fi.AddrUnspec)
	}
	return c.post(0)
}

// dial is the client: one connection after the other.
func (c *sharedCtx) dial(need session.Need) (err error) {
	if c.s, err = session.Prepare(c.env, need); err != nil {
		return err
	}
	if err = c.s.OpenActive(c.s.Info); err != nil {
		return err
	}
	for i := range c.s.EPs {
		connect := c.s.ConnectOnce
		if i == 0 { // the server may not be there yet
			connect = c.s.Connect
		}
		c.s.EP = c.s.EPs[i]
		if _, err = connect(nil); err != nil {
			return err
		}
	}
	return nil
}

// accept is the server: requests and connections come in any order.
func (c *sharedCtx) accept(need session.Need) (err error) {
	count := need.Endpoints
	need.Endpoints = 1
	if c.s, err = session.Prepare(c.env, need); err != nil {
		return err
	}
	if err = c.s.Listen(nil); err != nil {
		return err
	}
	for asked, connected := 0, 0; connected < count; {
		e, err := c.s.AnyEvent()
		switch {
		case err != nil:
			return err
		case e.Event == fi.EventConnected && connected < asked:
			connected++
			continue
		case e.Event != fi.EventConnReq || asked == count:
			return fail.Call("fi_eq_sread", fmt.Errorf("unexpected CM event %v: %w", e.Event, fi.ErrOther))
		case asked == 0:
			err = c.s.OpenActive(e.Info)
		default:
			err = c.s.OpenEndpoint(e.Info)
		}
		if err != nil {
			return err
		}
		if err := c.s.EPs[asked].Accept(nil); err != nil {
			return fail.Call("fi_accept", err)
		}
		asked++
	}
	return nil
}

// introduce tells each side the addresses of the other's endpoints, by messages between the first two.
func (c *sharedCtx) introduce(need session.Need) (err error) {
	if c.s, err = session.Open(c.env, need); err != nil {
		return err
	}
	c.peers = append(c.peers, c.s.Peer)
	for _, ep := range c.s.EPs[1:] {
		name, err := ep.Name()
		if err != nil {
			return fail.Call("fi_getname", err)
		}
		if c.env.Client {
			if err := c.tell(name); err != nil {
				return err
			}
		}
		if err := c.s.WaitRx(c.s.RxSeq); err != nil {
			return err
		}
		if err := c.s.Insert(c.s.Rx[:session.CtrlSize]); err != nil {
			return err
		}
		c.peers = append(c.peers, c.s.Peer)
		c.s.Peer = c.peers[0]
		if err := c.s.Repost(); err != nil {
			return err
		}
		if !c.env.Client {
			if err := c.tell(name); err != nil {
				return err
			}
		}
	}
	if c.env.Client { // the server knows all
		return c.tell(make([]byte, 1))
	}
	if err := c.s.WaitRx(c.s.RxSeq); err != nil {
		return err
	}
	return c.s.Repost()
}

func (c *sharedCtx) tell(name []byte) error {
	n := copy(c.s.Tx, name)
	if err := c.s.PostTx(c.s.Tx[:n], c.s.Context(0)); err != nil {
		return err
	}
	return c.s.WaitTx(c.s.TxSeq)
}

// post posts a receive for an endpoint.
func (c *sharedCtx) post(i int) error {
	c.s.EP = c.s.EPs[i]
	return c.s.Repost()
}

// exchange sends a message each way on every endpoint; the client's go first. One receive is more than there are messages.
func (c *sharedCtx) exchange() error {
	s := c.s
	for i := range s.EPs {
		if s.SRX != nil {
			fmt.Fprintf(c.env.Out, "Posting recv #%d for shared rx ctx\n", i)
		} else {
			fmt.Fprintf(c.env.Out, "Posting recv for endpoint #%d\n", i)
		}
		if err := c.post(i); err != nil {
			return err
		}
	}
	if c.env.Client {
		if err := c.send(); err != nil {
			return err
		}
	}
	err := s.WaitRx(s.RxSeq - 1)
	if c.env.Client && s.Connected() && errors.Is(err, fi.ErrCanceled) {
		// The server has sent everything and ended the connection of the receive that is too many. Messages of the other
		// connections may be read after that.
		err = s.WaitRx(s.RxSeq)
	}
	if err != nil || c.env.Client {
		return err
	}
	return c.send()
}

// size is how long the messages are. The C program has no buffers for those of connections, and would not survive them.
func (c *sharedCtx) size() int {
	if c.s.Connected() {
		return 0
	}
	return session.CtrlSize
}

func (c *sharedCtx) send() error {
	for i, ep := range c.s.EPs {
		fmt.Fprintf(c.env.Out, "Posting send to endpoint #%d\n", i)
		c.s.EP, c.s.Peer = ep, c.peers[i]
		if err := c.s.Send(c.size()); err != nil {
			return err
		}
	}
	return nil
}
