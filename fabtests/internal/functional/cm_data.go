package functional

import (
	"errors"
	"fmt"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/pattern"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/cli"
)

// managementPort is where the two sides synchronise beside the fabric.
const managementPort = "2710"

func cmDataOptions(o *options.Options) []cli.Option {
	o.OOBPort = managementPort
	return []cli.Option{{Short: 'q', Long: "management-port", Arg: "PORT", Help: "port of the connection that synchronises the sides (2710)",
		Set: options.Text(&o.OOBPort)}}
}

// runCMData passes data with each step of connecting: with what a client asks, with a refusal, and with an answer.
func runCMData(env *scenario.Env) error {
	s, err := session.Prepare(env, session.Need{Caps: fi.CapMsg, Size: session.CtrlSize, Connects: true, NoRecv: true, NoRegion: true, LateOOB: true})
	if s != nil {
		defer s.Close() //nolint:errcheck // closed below when all went well
	}
	if err != nil {
		return err
	}
	c := &cmData{s: s}
	one := c.serve
	if s.Client {
		one = c.ask
		if err = s.OpenActive(s.Info); err == nil {
			c.most, err = s.EP.CMDataSize()
		}
	} else if err = s.Listen(nil); err == nil {
		c.most = s.PEP.CMDataSize()
	}
	if err != nil {
		return fail.Call("fi_getopt", err)
	}
	if err := s.OpenOOB(); err != nil {
		return err
	}
	for n := 1; n <= c.most; n <<= 1 {
		fmt.Fprintf(env.Out, "trying with data size: %d\n", n)
		if err := one(n); err != nil {
			return err
		}
		if err := s.SyncStatus(); err != nil {
			return err
		}
	}
	if s.Client {
		fmt.Fprintf(env.Out, "trying with data size exceeding maximum: %d\n", c.most+1)
		if err := s.EP.Connect(s.Info.DestAddr, make([]byte, c.most+1)); !errors.Is(err, fi.ErrInvalid) {
			return fail.Call("fi_connect", fmt.Errorf("expected %w, got: %v", fi.ErrInvalid, err))
		}
	}
	return s.Close()
}

type cmData struct {
	s    *session.Session
	most int // bytes
}

// data is what is sent with n bytes.
func data(n int) []byte {
	b := make([]byte, n)
	pattern.Fill(b)
	return b
}

// got checks what came.
func got(b []byte, n int) error {
	if len(b) != n {
		return fail.Call("fi_eq_sread", fmt.Errorf("%d bytes of data, expected %d: %w", len(b), n, fi.ErrIO))
	}
	return fail.Call("ft_check_buf", pattern.Check(b))
}

// ask is the client's part: it is refused, and then accepted.
func (c *cmData) ask(n int) error {
	_, err := c.s.ConnectOnce(data(n))
	bad, ok := errors.AsType[*fi.EQErrEntry](err)
	switch {
	case err == nil:
		return fail.Call("fi_eq_sread", fmt.Errorf("connected, expected %w", fi.ErrConnRefused))
	case !ok || !errors.Is(bad.Err, fi.ErrConnRefused):
		return err
	}
	if err := got(bad.ErrData, n); err != nil {
		return err
	}
	if err := c.s.Reopen(); err != nil {
		return err
	}
	e, err := c.s.ConnectOnce(data(n))
	if err != nil {
		return err
	}
	if err := got(e.CMData, n); err != nil {
		return err
	}
	if err := c.end(); err != nil {
		return err
	}
	return c.s.Reopen()
}

// serve is the server's.
func (c *cmData) serve(n int) error {
	e, err := c.request(n)
	if err != nil {
		return err
	}
	if err := c.s.PEP.Reject(e.Info.Handle, data(n)); err != nil {
		return fail.Call("fi_reject", err)
	}
	if e, err = c.request(n); err != nil {
		return err
	}
	if err := c.s.OpenActive(e.Info); err != nil {
		return err
	}
	if err := c.s.Accept(data(n)); err != nil {
		return err
	}
	if err := c.end(); err != nil {
		return err
	}
	return fail.Call("fi_close", c.s.CloseActive())
}

// request waits for one with n bytes.
func (c *cmData) request(n int) (fi.EQEntry, error) {
	e, err := c.s.Request()
	if err != nil {
		return e, err
	}
	return e, got(e.CMData, n)
}

// end ends the connection, as the other side does.
func (c *cmData) end() error {
	if err := c.s.Shutdown(); err != nil {
		return err
	}
	_, err := c.s.Event(fi.EventShutdown, c.s.EP)
	return err
}
