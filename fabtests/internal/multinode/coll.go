package multinode

import (
	"fmt"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
)

// member is one rank of a group of collectives.
type member struct {
	env   *scenario.Env
	job   *job
	s     *session.Session
	addrs []fi.Addr // of all ranks

	first, stride int           // the group: rank first and every stride-th one behind it
	ranks         []int         // its members
	set           *fabric.AVSet // of these; nil outside
	mc            *fabric.MC
	done          map[any]error // completions that came before they were asked for
}

// runColl is one rank of the collectives.
func runColl(env *scenario.Env) (err error) {
	if env.Opt.Counters {
		return &fail.Usage{Text: "multinode_coll: it needs completions, not counts: leave -t counter out", Next: "fabtests multinode_coll --local"}
	}
	j, err := join(env, env.Opt.Own.(*choice))
	if err != nil {
		return err
	}
	defer j.close()
	m := &member{env: env, job: j, done: make(map[any]error)}
	if m.s, m.addrs, err = j.open(env, session.Need{Caps: collCaps(env.Opt), Size: session.CtrlSize, NoRegion: true}); err != nil {
		return err
	}
	err = m.tests()
	if err != nil {
		fmt.Fprintln(env.Out, "failed")
	} else {
		fmt.Fprintln(env.Out, "passed")
	}
	if closed := m.s.Close(); err == nil {
		err = closed
	}
	return err
}

// tests runs each of them, all with a group of its own.
func (m *member) tests() error {
	for range max(1, m.env.Opt.Iterations) {
		for i := range collTests {
			t := &collTests[i]
			if t.verify && !m.env.Opt.Verify {
				continue
			}
			m.say("Running Test: %s", t.name)
			if _, err := m.s.Domain.QueryCollective(t.coll, t.dt, t.op); err != nil {
				m.say("Test skipped: operation %s not supported.", t.name)
				continue
			}
			if err := m.test(t); err != nil {
				return fmt.Errorf("%s: %w", t.name, err)
			}
			m.say("Test Complete: %s", t.name)
		}
	}
	return nil
}

// say is for -V.
func (m *member) say(format string, args ...any) {
	if m.env.Opt.Verbose {
		fmt.Fprintf(m.env.Out, format+"\n", args...)
	}
}

// test runs one test. Ranks outside its group wait for the others.
func (m *member) test(t *collTest) error {
	m.first, m.stride, m.ranks = 0, 1, nil
	if t.strided {
		m.first, m.stride = 1, 2
	}
	in := false
	for r := m.first; r < m.job.n; r += m.stride {
		m.ranks = append(m.ranks, r)
		in = in || r == m.job.rank
	}
	if !in {
		return m.together()
	}
	if err := m.join(); err != nil {
		return err
	}
	if t.run != nil {
		if err := t.run(m); err != nil {
			return err
		}
	}
	if err := m.together(); err != nil { // nobody leaves where another one is still at work
		return err
	}
	if err := m.mc.Close(); err != nil {
		return fail.Call("fi_close", err)
	}
	return fail.Call("fi_close", m.set.Close())
}

// join makes the group.
func (m *member) join() (err error) {
	attr := &fi.AVSetAttr{Start: m.addrs[m.first], End: m.addrs[m.job.n-1], Stride: uint64(m.stride)}
	if m.set, err = m.s.AV.OpenSet(attr); err != nil {
		return fail.Call("fi_av_set", err)
	}
	world, err := m.set.Addr()
	if err != nil {
		return fail.Call("fi_av_set_addr", err)
	}
	if m.mc, err = m.s.EP.JoinCollective(world, m.set, 0, m); err != nil {
		return fail.Call("fi_join_collective", err)
	}
	e, err := m.s.Event(fi.EventJoinComplete, m.mc)
	if err == nil && e.Context != m {
		err = fail.Call("fi_eq_sread", fmt.Errorf("the event has context %v: %w", e.Context, fi.ErrOther))
	}
	return err
}

// together waits until all ranks are here, and drives the endpoint: others may still need what it has sent.
func (m *member) together() error {
	here := make(chan error, 1)
	go func() { here <- m.job.barrier() }() // ends with the job's connections
	return m.s.Until(func() (bool, error) {
		select {
		case err := <-here:
			return true, err
		default:
			return false, m.s.Progress()
		}
	})
}

// wait waits for the completion of what was posted with ctx. posted is what posting has said.
func (m *member) wait(ctx any, posted error) error {
	if posted != nil {
		return posted
	}
	for {
		if err, ok := m.done[ctx]; ok {
			delete(m.done, ctx)
			return err
		}
		e, err := m.s.Next(m.s.TxCQ)
		if err != nil {
			return err
		}
		m.done[e.Context] = flagged(e)
	}
}

// flagged looks at the flags of a completion.
func flagged(e cq.Entry) error {
	if e.Flags&fi.CompCollective == 0 {
		return fail.Call("fi_cq_read", fmt.Errorf("the completion of a collective has flags %v: %w", e.Flags, fi.ErrOther))
	}
	return nil
}
