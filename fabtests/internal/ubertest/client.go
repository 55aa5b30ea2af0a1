package ubertest

import (
	"errors"
	"fmt"

	"github.com/gofabric/gofabric/fabtests/internal/ctrl"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fi"
)

// runClient runs the tests of a configuration.
func runClient(env *scenario.Env) error {
	own := env.Opt.Own.(*choices)
	sets, err := own.load(env.Opt.Provider)
	if err != nil {
		return err
	}
	all := count(sets)
	if other := overridden(sets, own.file, env.Opt.Provider); other != "" {
		fmt.Fprintf(env.Err, "ubertest: %s\n", other)
	}
	fmt.Fprintf(env.Out, "Test configurations loaded: %d\n", all)
	c, err := meetServer(env)
	if err != nil {
		return err
	}
	defer c.Close()
	var r results
	var mem memory
	for t := range tests(sets) {
		if int(t.Index) < own.first || own.last > 0 && int(t.Index) > own.last {
			continue
		}
		own.fill(env, t)
		if !t.makesSense() {
			fmt.Fprintf(env.Out, "Skipping test %d (invalid):\n%v\n", t.Index, t)
			r.skipped++
			continue
		}
		fmt.Fprintf(env.Out, "Starting test %d / %d:\n", t.Index, all)
		err := ask(env, c, t, &mem)
		r.add(err)
		tell(env, fmt.Sprintf("Ending test %d / %d", t.Index, all), err)
		if err != nil && isLost(err) {
			return r.end(env.Out, err)
		}
	}
	return r.end(env.Out, nil)
}

// isLost tells whether the run cannot go on.
func isLost(err error) bool {
	_, is := errors.AsType[*lost](err)
	return is
}

// fill adds what a file leaves to the command line.
func (c *choices) fill(env *scenario.Env, t *Test) {
	if t.Node == "" {
		t.Node = env.Opt.Server
	}
	if t.Service == "" {
		t.Service = env.Opt.DstPort
	}
	if env.Opt.Provider != "" {
		t.Provider = env.Opt.Provider
	}
}

// tell prints how a test ended, and what went wrong.
func tell(env *scenario.Env, head string, err error) {
	word := "Success"
	if n := statusOf(err); n == statusSkip {
		word = "Skipped, the provider does not promise it"
	} else if n != 0 {
		word = fi.Errno(n).Strerror()
		fmt.Fprintf(env.Err, "%s: %v\n", head, err)
	}
	fmt.Fprintf(env.Out, "%s, result: %s\n", head, word)
}

// ask runs a test with the server.
func ask(env *scenario.Env, c *ctrl.Conn, t *Test, mem *memory) (err error) {
	t.Speaks = oursAsks
	s := newSide(env, c, t, mem)
	defer func() {
		if closed := s.close(); err == nil {
			err = closed
		}
	}()
	if err := s.say(t.encode()); err != nil {
		return err
	}
	if err := s.taken(); err != nil {
		return err
	}
	b, err := s.hear(testSize)
	if err != nil {
		return err
	}
	answer, err := decode(b)
	if err != nil {
		return asLost(err)
	}
	if what := answer.changed(t); what != "" {
		return asLost(nonsense("the server has changed the %s of test %d", what, t.Index))
	}
	*t, s.ours = *answer, answer.Speaks == oursAnswers
	fmt.Fprintln(env.Out, t)
	err = s.open()
	if said := s.say(encodeStatus(statusOf(err))); said != nil {
		return said
	}
	if err != nil {
		return err
	}
	s.settle()
	err = s.both()
	if isLost(err) {
		return err
	}
	last, heard := s.hear(statusSize)
	switch {
	case heard != nil:
		return heard
	case err != nil:
		return err
	case decodeStatus(last) != 0:
		return &peerFailed{decodeStatus(last)}
	}
	return nil
}

// taken hears whether the other side has opened the test.
func (s *side) taken() error {
	status, err := s.hear(statusSize)
	if err != nil {
		return err
	}
	if n := decodeStatus(status); n != 0 {
		return refused(n)
	}
	return nil
}

// refused is the error of a test that the other side cannot open.
func refused(n int) error {
	if n == statusSkip {
		return &skipped{fi.ErrOpNotSupp}
	}
	return &peerFailed{n}
}

// changed names what an answer may not change; "" for nothing.
func (t *Test) changed(asked *Test) string {
	for _, c := range []struct {
		same bool
		what string
	}{
		{t.Index == asked.Index, "number"}, {t.Type == asked.Type, "type"}, {t.Function == asked.Function, "function"}, {t.Class == asked.Class, "class"},
		{t.Op == asked.Op && t.Datatype == asked.Datatype, "operation"}, {t.EP == asked.EP, "endpoint type"}, {t.Flags == asked.Flags, "flags"},
		{t.Comp == asked.Comp, "completion type"}, {t.Node == asked.Node && t.Service == asked.Service, "server"},
	} {
		if !c.same {
			return c.what
		}
	}
	return ""
}

// both is what both sides do once each has opened what it needs: they meet, and run the test. When it returns the control
// connection is where the other side expects it, unless the error is that this is lost.
func (s *side) both() error {
	err := s.meet()
	if err == nil {
		s.watch()
		err = s.run()
	}
	if err != nil && !errors.Is(err, errVerify) {
		err = s.giveUp(err)
	}
	s.c.Watch(nil)
	return err
}

// meetServer connects to the server, which may come later.
func meetServer(env *scenario.Env) (*ctrl.Conn, error) {
	o := env.Opt
	if env.Link != nil {
		return ctrl.New(env.Ctx, env.Link, patient(o)), nil
	}
	host, port := controlAt(o)
	conn, err := ctrl.Dial(env.Ctx, host, port, "", o.Timeout)
	if err != nil {
		return nil, err
	}
	return ctrl.New(env.Ctx, conn, patient(o)), nil
}
