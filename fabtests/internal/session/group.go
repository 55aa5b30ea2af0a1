package session

import (
	"context"
	"strconv"
	"time"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fi"
)

// Group is one of several sides that all know each other. Side r has the service of side 0 counted up r times.
type Group struct {
	Rank, Size int

	s     *Session
	peers []fi.Addr
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

// Close closes the endpoint.
func (g *Group) Close() error { return g.s.Close() }
