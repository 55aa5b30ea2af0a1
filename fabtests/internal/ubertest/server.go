package ubertest

import (
	"errors"
	"fmt"
	"io"

	"github.com/gofabric/gofabric/fabtests/internal/ctrl"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
)

// runServer serves clients: one with -x or when another fabtests runs both sides, else one after another until it is ended.
func runServer(env *scenario.Env) error {
	o := env.Opt
	own := o.Own.(*choices)
	var r results
	if env.Link != nil {
		env.Ready()
		c := ctrl.New(env.Ctx, env.Link, patient(o))
		defer c.Close()
		err := serve(env, c, &r)
		return r.end(env.Out, err)
	}
	host, port := controlAt(o)
	l, err := ctrl.Listen(env.Ctx, host, port, "another port with -q, and the same at the client")
	if err != nil {
		return err
	}
	defer l.Close() //nolint:errcheck // nothing is in flight
	env.Ready()
	once := own.once || o.Child.On
	for served := 0; ; {
		wait := o.Timeout
		if !once { // clients come when they like
			wait = o.UntilClient()
		}
		conn, err := ctrl.Accept(env.Ctx, l, wait)
		if err != nil && served > 0 {
			return r.end(env.Out, err)
		}
		if err != nil {
			return err
		}
		served++
		c := ctrl.New(env.Ctx, conn, patient(o))
		err = serve(env, c, &r)
		c.Close()
		if err != nil {
			fmt.Fprintf(env.Err, "fabtests: a client: %v\n", err)
		}
		if once || env.Ctx.Err() != nil {
			return r.end(env.Out, err)
		}
	}
}

// serve runs the tests that a client asks for, until it has no more.
func serve(env *scenario.Env, c *ctrl.Conn, r *results) error {
	var mem memory
	for {
		b, err := c.Await(testSize)
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil // it is done
		}
		if err != nil {
			return err
		}
		t, err := decode(b)
		if err != nil {
			return err
		}
		fmt.Fprintf(env.Out, "Starting test %d:\n", t.Index)
		err = answer(env, c, t, &mem)
		r.add(err)
		tell(env, fmt.Sprintf("Ending test %d", t.Index), err)
		if isLost(err) {
			return err
		}
	}
}

// answer runs a test with the client.
func answer(env *scenario.Env, c *ctrl.Conn, t *Test, mem *memory) (err error) {
	s := newSide(env, c, t, mem)
	s.ours = t.Speaks == oursAsks
	defer func() {
		if closed := s.close(); err == nil {
			err = closed
		}
	}()
	err = s.open()
	if said := s.say(encodeStatus(statusOf(err))); said != nil {
		return said
	}
	if err != nil {
		return err
	}
	s.settle()
	if s.ours {
		t.Speaks = oursAnswers
	}
	if err := s.say(t.encode()); err != nil {
		return err
	}
	if err := s.taken(); err != nil {
		return err
	}
	err = s.both()
	if isLost(err) {
		return err
	}
	if said := s.say(encodeStatus(statusOf(err))); said != nil {
		return said
	}
	return err
}
