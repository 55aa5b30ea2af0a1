package together

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// Patience is how long a member waits for something that must come.
const Patience = 30 * time.Second

// Options are what endpoints are opened with.
type Options struct {
	Caps    fi.Caps // beside FI_COLLECTIVE and FI_TAGGED
	Domain  fi.DomainAttr
	TxFlags fi.OpFlags
	Counter bool                     // sends are counted
	Silent  bool                     // selective completion for transmits
	Name    []byte                   // the address that each endpoint chooses; nil: the provider does
	Known   func(name []byte) []byte // what others insert; nil: the name
}

// Member is an endpoint, with all that it needs.
type Member struct {
	Rank  int
	EP    *fabric.Endpoint
	Tx    *fabric.CQ
	Rx    *fabric.CQ
	EQ    *fabric.EQ
	AV    *fabric.AV
	D     *fabric.Domain
	Cnt   *fabric.Counter
	Addrs []fi.Addr // of all members, by rank
	poll  bool      // the queue has no blocking reads
	group *fabric.MC
	seen  map[any]error // completions that came before they were asked for
	open  []interface{ Close() error }
}

// Open makes n endpoints that know each other. What they opened is closed at the end of the test.
func Open(t testing.TB, p driver.Provider, n int, o Options) []*Member {
	t.Helper()
	ms, names := strangers(t, p, n, o)
	for _, m := range ms {
		if err := m.meet(names); err != nil {
			t.Fatal(err)
		}
	}
	return ms
}

// meet makes the members with these names known, in the order of their ranks.
func (m *Member) meet(names [][]byte) error {
	m.Addrs = make([]fi.Addr, len(names))
	_, err := m.AV.Insert(names, m.Addrs, 0)
	return err
}

// strangers opens n endpoints that do not know each other.
func strangers(t testing.TB, p driver.Provider, n int, o Options) ([]*Member, [][]byte) {
	t.Helper()
	reg := fabric.WithRegistry(fabric.NewRegistry(p))
	hints := &fi.Hints{Caps: fi.CapTagged | fi.CapCollective | o.Caps, EP: &fi.EPAttr{Type: fi.EPRDM}, Domain: &o.Domain,
		Tx: &fi.TxAttr{OpFlags: o.TxFlags}}
	infos, err := fabric.GetInfo(context.Background(), hints, reg)
	if err != nil {
		t.Fatal(err)
	}
	ms := make([]*Member, n)
	names := make([][]byte, n)
	for r := range ms {
		m, err := open(infos[0], reg, r, o)
		t.Cleanup(func() { m.Close() })
		if err == nil {
			names[r], err = m.EP.Name()
		}
		if err == nil && o.Known != nil {
			names[r] = o.Known(names[r])
		}
		if err != nil {
			t.Fatal(err)
		}
		ms[r] = m
	}
	return ms, names
}

func open(info *fi.Info, reg fabric.Option, rank int, o Options) (m *Member, err error) {
	m = &Member{Rank: rank, seen: make(map[any]error)}
	keep := func(c interface{ Close() error }, e error) bool {
		if e == nil {
			m.open = append(m.open, c)
		}
		err = e
		return e == nil
	}
	net, e := fabric.Open(info, reg)
	ok := keep(net, e)
	if ok {
		m.D, e = net.OpenDomain(info)
		ok = keep(m.D, e)
	}
	if ok {
		m.EQ, e = net.OpenEQ(nil)
		ok = keep(m.EQ, e)
	}
	if ok {
		m.Tx, e = m.D.OpenCQ(nil)
		ok = keep(m.Tx, e)
	}
	if ok {
		m.Rx, e = m.D.OpenCQ(nil)
		ok = keep(m.Rx, e)
	}
	if ok {
		m.Cnt, e = m.D.OpenCounter(nil)
		ok = keep(m.Cnt, e)
	}
	if ok {
		m.AV, e = m.D.OpenAV(nil)
		ok = keep(m.AV, e)
	}
	if ok {
		m.EP, e = m.D.OpenEndpoint(info)
		ok = keep(m.EP, e)
	}
	if !ok {
		return m, err
	}
	if o.Name != nil {
		if err := m.EP.SetName(o.Name); err != nil {
			return m, err
		}
	}
	bind := fi.BindTransmit
	if o.Silent {
		bind |= fi.BindSelectiveCompletion
	}
	err = errors.Join(m.EP.BindCQ(m.Tx, bind), m.EP.BindCQ(m.Rx, fi.BindRecv), m.EP.BindAV(m.AV), m.EP.BindEQ(m.EQ))
	if o.Counter {
		err = errors.Join(err, m.EP.BindCounter(m.Cnt, fi.CountSend))
	}
	if err == nil {
		err = m.EP.Enable()
	}
	return m, err
}

// Close closes what the member opened, the group first. A second time it does nothing.
func (m *Member) Close() error {
	var errs []error
	if m.group != nil {
		errs = append(errs, m.group.Close())
	}
	for i := len(m.open) - 1; i >= 0; i-- {
		errs = append(errs, m.open[i].Close())
	}
	m.open, m.group = nil, nil
	return errors.Join(errs...)
}

// T is what a test gives: of testing.TB, or of a suite of its own.
type T interface {
	Helper()
	Fatal(args ...any)
}

// New makes a member of what a test has opened, in the order of the addresses. Blocking reads must be served, or poll say
// that they are not.
func New(rank int, ep *fabric.Endpoint, tx *fabric.CQ, eq *fabric.EQ, av *fabric.AV, addrs []fi.Addr, poll bool) *Member {
	return &Member{Rank: rank, EP: ep, Tx: tx, EQ: eq, AV: av, Addrs: addrs, poll: poll, seen: make(map[any]error)}
}

// Each runs f for all members at once and fails the test with their errors.
func Each(t T, ms []*Member, f func(m *Member) error) {
	t.Helper()
	var wg sync.WaitGroup
	errs := make([]error, len(ms))
	for i, m := range ms {
		wg.Go(func() {
			if err := f(m); err != nil {
				errs[i] = fmt.Errorf("rank %d: %w", m.Rank, err)
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// Join makes the member part of a group of the given ranks, and waits until it is there.
func (m *Member) Join(ranks ...int) (*fabric.MC, error) {
	mc, err := m.Ask(ranks...)
	if err != nil {
		return nil, err
	}
	return mc, m.Joined(mc)
}

// Ask begins to join; without ranks a group of all.
func (m *Member) Ask(ranks ...int) (*fabric.MC, error) {
	set, err := m.AV.OpenSet(nil)
	if err != nil {
		return nil, err
	}
	defer set.Close()
	if len(ranks) == 0 {
		for r := range m.Addrs {
			ranks = append(ranks, r)
		}
	}
	for _, r := range ranks {
		if err := set.Insert(m.Addrs[r]); err != nil {
			return nil, err
		}
	}
	return m.EP.JoinCollective(fi.AddrNotAvail, set, 0, m)
}

// Joined waits for the event of mc.
func (m *Member) Joined(mc *fabric.MC) error {
	if err := m.seen[mc]; err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	for mc.Addr() == fi.AddrNotAvail {
		var e fi.EQEntry
		if err := m.EQ.SRead(ctx, &e, 0); errors.Is(err, fi.ErrAvail) {
			bad := new(fi.EQErrEntry)
			if err := m.EQ.ReadErr(bad); err != nil {
				return err
			}
			if bad.FID == mc {
				return bad
			}
			m.seen[bad.FID] = bad
		} else if err != nil {
			return err
		} else if e.Event != fi.EventJoinComplete || e.Context != m {
			return fmt.Errorf("event %v of %v with context %v", e.Event, e.FID, e.Context)
		}
	}
	return nil
}

// All makes the member part of a group of all, which is kept, and gives its address.
func (m *Member) All() (fi.Addr, error) {
	if m.group == nil {
		mc, err := m.Join()
		if err != nil {
			return fi.AddrNotAvail, err
		}
		m.group = mc
	}
	return m.group.Addr(), nil
}

// Leave closes a group that the member has joined with All.
func (m *Member) Leave() error {
	err := m.group.Close()
	m.group = nil
	return err
}

// read is SRead for any queue.
func (m *Member) read(ctx context.Context, dst []cq.Entry) error {
	if !m.poll {
		_, err := m.Tx.SRead(ctx, dst)
		return err
	}
	for ctx.Err() == nil {
		if _, err := m.Tx.Read(dst); err != fi.ErrAgain { //nolint:errorlint // a bare value
			return err
		}
		m.EQ.Read(new(fi.EQEntry), fi.EQPeek) // drives the domain, too
		runtime.Gosched()
	}
	return ctx.Err()
}

// Wait waits for the completion of what was posted with ctx; err is what posting has said.
func (m *Member) Wait(ctx any, err error) error {
	if err != nil {
		return fmt.Errorf("not accepted: %w", err)
	}
	limit, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	for {
		if got, ok := m.seen[ctx]; ok {
			delete(m.seen, ctx)
			return got
		}
		var e [1]cq.Entry
		err := m.read(limit, e[:])
		switch {
		case err == nil:
			m.seen[e[0].Context] = nil
			if e[0].Flags != fi.CompCollective {
				m.seen[e[0].Context] = fmt.Errorf("the completion has flags %v", e[0].Flags)
			}
		case errors.Is(err, fi.ErrAvail):
			bad := new(cq.ErrEntry)
			if err := m.Tx.ReadErr(bad); err != nil {
				return err
			}
			m.seen[bad.Context] = bad
		default:
			return fmt.Errorf("no completion: %w", err)
		}
	}
}
