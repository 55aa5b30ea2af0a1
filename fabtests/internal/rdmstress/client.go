package rdmstress

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/pattern"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
)

// regionKey is the key that clients ask for.
const regionKey = 724

// client runs a script.
type client struct {
	env    *scenario.Env
	s      *session.Session
	out    io.Writer
	id     uint32 // among the clients
	known  uint32 // the server's number for us
	asked  step   // the request whose answer has not come yet
	region *fabric.MR
	memory []byte // of the region
	shared bool   // the process has other clients, so that it must not end with this one
}

// errExit ends a client of several in a process where a process would end.
var errExit = errors.New("exit")

// runClient runs the script once.
func runClient(env *scenario.Env, id uint32, steps []step, shared bool) (err error) {
	side, opt := *env, *env.Opt
	opt.OOBSync, opt.OOBAddr = false, false
	side.Opt = &opt
	need := need(&side)
	need.OOBSync = false
	c := &client{env: &side, out: env.Out, id: id, shared: shared}
	fmt.Fprintf(c.out, "(%d-?) running\n", id)
	if c.s, err = session.Open(&side, need); err != nil {
		return err
	}
	defer func() {
		if c.region != nil {
			c.region.Close() //nolint:errcheck // a request without its answer
		}
		if closed := c.s.Close(); err == nil {
			err = closed
		}
	}()
	if err := c.hello(true); err != nil {
		return err
	}
	for i := range steps {
		for j := range steps[i].times() {
			fmt.Fprintf(c.out, "(%d-%d) rpc op %s iteration %d\n", id, c.known, steps[i].Op, j)
			err := c.do(&steps[i])
			if errors.Is(err, errExit) {
				return nil
			}
			if err != nil {
				return fmt.Errorf("client %d, step %d, %s: %w", id, i+1, steps[i].Op, err)
			}
		}
	}
	return nil
}

// do does a step.
func (c *client) do(s *step) error {
	switch s.Op {
	case "hello":
		return c.hello(false)
	case "goodbye":
		return c.goodbye()
	case "msg_req":
		return c.ask(*s, header{cmd: cmdMsg, size: s.Size})
	case "msg_inject_req":
		return c.ask(*s, header{cmd: cmdMsgInject, size: s.Size})
	case "tag_req":
		return c.ask(*s, header{cmd: cmdTag, size: s.Size, data: s.Offset})
	case "msg_resp":
		return c.message(false)
	case "tag_resp":
		return c.message(true)
	case "read_req":
		return c.share(*s, cmdRead, fi.AccessRemoteRead)
	case "write_req":
		return c.share(*s, cmdWrite, fi.AccessRemoteWrite)
	case "read_resp":
		return c.answered(cmdRead)
	case "write_resp":
		return c.answered(cmdWrite)
	case "sleep":
		return c.sleep(time.Duration(s.MS+s.Size) * time.Millisecond) // C programs take both keys
	case "exit":
		if c.shared {
			return errExit
		}
		os.Exit(0) // without a word to anybody: that is what is tested
	}
	return nil
}

func (c *client) sleep(d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-c.env.Ctx.Done():
		return context.Cause(c.env.Ctx)
	}
}

// hello tells the server our address and learns our number. The first one waits for the server.
func (c *client) hello(first bool) error {
	fmt.Fprintf(c.out, "(%d-?) saying hello\n", c.id)
	name, err := c.s.EP.Name()
	if err != nil {
		return fail.Call("fi_getname", err)
	}
	if len(name) > mostName {
		return fail.Call("fi_getname", fi.ErrTooSmall)
	}
	b := make([]byte, headerSize+len(name))
	h := header{client: c.id, cmd: cmdHello, size: uint64(len(name))}
	h.put(b)
	copy(b[headerSize:], name)
	if first {
		if err := c.s.Insert(c.s.Info.DestAddr); err != nil {
			return err
		}
		err = c.s.SendToNew(b)
	} else {
		err = c.send(b)
	}
	if err != nil {
		return err
	}
	got, err := c.receive(headerSize, cmdHello, false, 0)
	if err != nil {
		return err
	}
	c.known = readHeader(got).client
	fmt.Fprintf(c.out, "(%d-%d) we're friends now\n", c.id, c.known)
	return nil
}

// goodbye tells the server that we leave; there is no answer.
func (c *client) goodbye() error {
	b := make([]byte, headerSize)
	h := header{client: c.known, cmd: cmdGoodbye}
	h.put(b)
	if err := c.s.PostTxMsg(b, c.s.Context(0), 0, fi.OpDeliveryComplete); err != nil {
		return err
	}
	return c.s.WaitTx(c.s.TxSeq)
}

func (c *client) send(b []byte) error {
	if err := c.s.PostTx(b, c.s.Context(0)); err != nil {
		return err
	}
	return c.s.WaitTx(c.s.TxSeq)
}

// ask sends a request.
func (c *client) ask(s step, h header) error {
	h.client = c.known
	b := make([]byte, headerSize)
	h.put(b)
	c.asked = s
	if len(b) > c.s.InjectSize() {
		return c.send(b)
	}
	return c.s.Inject(b)
}

// receive waits for the answer to a request.
func (c *client) receive(n int, cmd uint32, tagged bool, tag uint64) ([]byte, error) {
	b := make([]byte, n)
	var err error
	if tagged {
		if err = c.s.EP.TRecv(b, fi.AddrUnspec, tag, 0, c.s.Context(0)); err == nil {
			c.s.RxSeq++
		}
		err = fail.Call("fi_trecv", err)
	} else {
		err = c.s.PostRx(b, c.s.Context(0))
	}
	if err == nil {
		err = c.s.WaitRx(c.s.RxSeq)
	}
	if err != nil {
		return nil, err
	}
	got := readHeader(b).cmd
	if got != cmd && !(cmd == cmdMsg && got == cmdMsgInject) {
		return nil, fail.Call("fi_recv", fmt.Errorf("the answer to %s, expected that to %s: %w", cmdName(got), cmdName(cmd), fi.ErrOther))
	}
	return b, nil
}

// message waits for the message that was asked for.
func (c *client) message(tagged bool) error {
	cmd := uint32(cmdMsg)
	if tagged {
		cmd = cmdTag
	}
	b, err := c.receive(headerSize+int(c.asked.Size), cmd, tagged, c.asked.Offset)
	if err != nil {
		return err
	}
	return fail.Call("ft_check_buf", pattern.Check(b[headerSize:]))
}

// share makes a region and asks the server to read or write it.
func (c *client) share(s step, cmd uint32, access fi.Access) error {
	if c.region != nil {
		return fail.Call("fi_mr_reg", fmt.Errorf("the answer to the request before has not been waited for: %w", fi.ErrBusy))
	}
	c.memory = make([]byte, max(s.Offset+s.Size, 1))
	if cmd == cmdRead {
		pattern.Fill(c.memory[s.Offset:])
	}
	var err error
	if c.region, err = c.s.Region(c.s.Domain, c.s.EP, c.memory, access, &fi.MRAttr{Key: regionKey}); err != nil {
		return err
	}
	at := c.region.Remote().At(s.Offset)
	return c.ask(s, header{cmd: cmd, size: s.Size, offset: at.Addr, data: at.Key})
}

// answered waits until the server has read or written the region.
func (c *client) answered(cmd uint32) error {
	_, err := c.receive(headerSize, cmd, false, 0)
	if err == nil {
		err = fail.Call("ft_check_buf", pattern.Check(c.memory[min(c.asked.Offset, uint64(len(c.memory))):][:c.asked.Size]))
	}
	if c.region != nil {
		if closed := fail.Call("fi_close", c.region.Close()); err == nil {
			err = closed
		}
	}
	c.region, c.memory = nil, nil
	return err
}
