package session

import (
	"context"
	"strconv"
	"time"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fi"
)

// Group is one of several sides that all know each other. Side r has the service of side 0 counted up r times.
type Group struct {
	Rank, Size int

	s     *Session
	peers []fi.Addr
	coll  *fabric.MC // nil before the first collective
}

// tagHello is that of the first message between two sides.
const tagHello = 4 << 40

// OpenGroup opens one side and waits until all others are there.
func OpenGroup(env *scenario.Env, need Need) (*Group, error) {
	o := *env.Opt
	base, err := strconv.Atoi(o.SrcPort)
	if err != nil {
		return nil, fail.Call("fi_getinfo", fi.ErrInvalid)
	}
	o.SrcPort = strconv.Itoa(base + env.Rank)
	side := *env
	side.Opt = &o
	need.NoRecv = true
	s, err := Prepare(&side, need)
	if err == nil {
		err = s.OpenActive(s.Info)
	}
	g := &Group{Rank: env.Rank, Size: o.Child.Count, s: s}
	for r := range g.Size {
		if err != nil {
			break
		}
		var a fi.Addr
		if a, err = s.AV.InsertSvc(env.Ctx, "127.0.0.1", strconv.Itoa(base+r), 0); err != nil {
			err = fail.Call("fi_av_insertsvc", err)
		}
		g.peers = append(g.peers, a)
	}
	if err == nil {
		err = g.hello()
	}
	if err != nil {
		if s != nil {
			s.Close() //nolint:errcheck // the first error is the one to see
		}
		return nil, err
	}
	return g, nil
}

// hello exchanges a message with every other side; those that are not there yet are waited for.
func (g *Group) hello() error {
	s := g.s
	var deadline time.Time
	if s.Opt.Timeout > 0 {
		deadline = time.Now().Add(s.Opt.Timeout)
	}
	for r, peer := range g.peers {
		if r == g.Rank {
			continue
		}
		for {
			s.Peer, s.TxTag = peer, tagHello+uint64(g.Rank)
			seq, done := s.TxSeq, s.TxDone
			err := s.PostTx(s.Tx[:8], s.contexts[0])
			if err == nil {
				err = s.WaitTx(s.TxSeq)
			}
			if err == nil {
				break
			}
			if !absent(err) || !deadline.IsZero() && time.Now().After(deadline) {
				return err
			}
			s.TxSeq, s.TxDone = seq, done
			select {
			case <-s.env.Ctx.Done():
				return context.Cause(s.env.Ctx)
			case <-time.After(retryEvery):
			}
		}
	}
	for r := range g.Size {
		if r == g.Rank {
			continue
		}
		if err := g.Receive(r, tagHello, 8); err != nil {
			return err
		}
	}
	return nil
}

// Tx and Rx are the buffers of Send and Receive.
func (g *Group) Tx() []byte { return g.s.Tx }

// Rx is the buffer of Receive.
func (g *Group) Rx() []byte { return g.s.Rx }

// Send sends n bytes of Tx to a side.
func (g *Group) Send(to int, tag uint64, n int) error {
	g.s.Peer, g.s.TxTag = g.peers[to], tag+uint64(g.Rank)
	if n <= g.s.inject {
		return g.s.Inject(g.s.Tx[:n])
	}
	if err := g.s.PostTx(g.s.Tx[:n], g.s.contexts[0]); err != nil {
		return err
	}
	return g.s.WaitTx(g.s.TxSeq)
}

// Receive waits for n bytes with the tag from a side.
func (g *Group) Receive(from int, tag uint64, n int) error {
	g.s.RxTag = tag + uint64(from)
	if err := g.s.PostRx(g.s.Rx[:n], g.s.contexts[0]); err != nil {
		return err
	}
	return g.s.WaitRx(g.s.RxSeq)
}

// Collective is the address of the group of all sides for collective calls; the first one joins it. The sides were opened
// with FI_COLLECTIVE.
func (g *Group) Collective() (fi.Addr, error) {
	if g.coll == nil {
		set, err := g.s.AV.OpenSet(&fi.AVSetAttr{Flags: fi.AVSetUniverse})
		if err != nil {
			return fi.AddrNotAvail, fail.Call("fi_av_set", err)
		}
		defer set.Close() //nolint:errcheck // nothing uses it
		if g.coll, err = g.s.EP.JoinCollective(fi.AddrNotAvail, set, 0, nil); err != nil {
			return fi.AddrNotAvail, fail.Call("fi_join_collective", err)
		}
		if _, err := g.s.Event(fi.EventJoinComplete, g.coll); err != nil {
			return fi.AddrNotAvail, err
		}
	}
	return g.coll.Addr(), nil
}

// Barrier is a collective barrier of all sides.
func (g *Group) Barrier() error {
	at, err := g.Collective()
	if err != nil {
		return err
	}
	if err := g.s.EP.Barrier(at, g.s.contexts[0]); err != nil {
		return fail.Call("fi_barrier", err)
	}
	g.s.TxSeq++
	return g.s.WaitTx(g.s.TxSeq)
}

// Close leaves the group of collectives and closes the endpoint.
func (g *Group) Close() error {
	if g.coll != nil {
		if err := g.coll.Close(); err != nil {
			return fail.Call("fi_close", err)
		}
		g.coll = nil
	}
	return g.s.Close()
}
