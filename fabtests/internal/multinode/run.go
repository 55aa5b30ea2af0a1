package multinode

import (
	"bytes"
	"fmt"
	"io"
	"time"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	fill "github.com/gofabric/gofabric/fabtests/internal/pattern"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

const (
	// tagData is that of the first rank's messages.
	tagData = 0x5CA1AB1E
	count   = 1000 // how often a pattern is run, unless -I says otherwise
)

// node is one rank.
type node struct {
	env  *scenario.Env
	own  *choice
	job  *job
	s    *session.Session
	out  io.Writer // of the rank server
	size int

	addrs   []fi.Addr
	regions []mr.Remote
	mr      *fabric.MR
	tx, rx  []byte // a slot for each rank, twice: while one side looks at an iteration the others write the next one
	from    []byte // what a slot must hold
	timers  []span
}

// run is one rank.
func run(env *scenario.Env) (err error) {
	own := env.Opt.Own.(*choice)
	if env.Opt.Counters {
		return &fail.Usage{Text: "multinode: it needs completions, not counts: leave -t counter out", Next: "fabtests multinode --local"}
	}
	j, err := join(env, own)
	if err != nil {
		return err
	}
	defer j.close()
	nd := &node{env: env, own: own, job: j, out: io.Discard, size: session.CtrlSize}
	if len(env.Opt.Sizes) == 1 {
		nd.size = max(env.Opt.Sizes[0], 1)
	}
	if j.rank == 0 {
		nd.out = env.Out
	}
	defer func() {
		if closed := nd.close(); err == nil {
			err = closed
		}
	}()
	if err := nd.open(); err != nil {
		return err
	}
	for i := range patterns {
		p := &patterns[i]
		if own.pattern != nil && own.pattern != p {
			continue
		}
		fmt.Fprintf(nd.out, "starting %s... ", p.name)
		if err := nd.pattern(p); err != nil {
			fmt.Fprintln(nd.out, "failed")
			return err
		}
		fmt.Fprintln(nd.out, "passed")
		if err := nd.analyze(); err != nil {
			return err
		}
	}
	return j.barrier() // nobody closes what another one still talks to
}

// open opens the endpoint and learns of those of the others.
func (nd *node) open() (err error) {
	need := session.Need{Caps: caps(nd.env.Opt), Size: nd.size, NoRegion: true}
	if nd.own.rma {
		need.TxFlags = fi.OpDeliveryComplete // the data is looked at
	}
	if nd.s, nd.addrs, err = nd.job.open(nd.env, need); err != nil {
		return err
	}
	n := nd.job.n
	nd.tx, nd.rx, nd.from = make([]byte, 2*n*nd.size), make([]byte, 2*n*nd.size), make([]byte, nd.size)
	if !nd.own.rma {
		return nil
	}
	if nd.mr, err = nd.s.Region(nd.s.Domain, nd.s.EP, nd.rx, fi.AccessRemoteWrite, &fi.MRAttr{Key: session.RegionKey}); err != nil {
		return err
	}
	mine := session.RegionMessage(nd.mr)
	all, err := nd.job.allGather(mine)
	if err != nil {
		return err
	}
	for i := range n {
		nd.regions = append(nd.regions, session.RegionOf(all[len(mine)*i:]))
	}
	return nil
}

func (nd *node) close() error {
	var err error
	if nd.mr != nil {
		err = fail.Call("fi_close", nd.mr.Close())
	}
	if nd.s != nil {
		if closed := nd.s.Close(); err == nil {
			err = closed
		}
	}
	return err
}

func (nd *node) iterations() int {
	if n := nd.env.Opt.Iterations; n > 0 {
		return n
	}
	return count
}

// pattern runs one, again and again.
func (nd *node) pattern(p *pattern) error {
	targets, sources := p.targets(nd.job.rank, nd.job.n), p.sources(nd.job.rank, nd.job.n)
	nd.timers = nd.timers[:0]
	for i := range nd.iterations() {
		if nd.own.timing {
			nd.timers = append(nd.timers, make([]span, nd.job.n)...)
		}
		if err := nd.once(i, targets, sources); err != nil {
			return err
		}
		now := time.Now().UnixNano()
		for k := range nd.timers[max(0, len(nd.timers)-nd.job.n):] {
			if t := &nd.timers[len(nd.timers)-nd.job.n+k]; t.start != 0 {
				t.end = now
			}
		}
		if err := nd.barrier(); err != nil {
			return err
		}
		if err := nd.check(i, sources); err != nil {
			return err
		}
	}
	return nil
}

// slot is the place of a rank's data in an iteration.
func (nd *node) slot(i, rank int) int { return (i%2*nd.job.n + rank) * nd.size }

// shift is where in the pattern of characters the data begins that a rank sends in an iteration.
func shift(i, rank int) int { return 7*rank + i }

// once sends to all targets and receives from all sources, a window at a time.
func (nd *node) once(i int, targets, sources []int) error {
	s, w := nd.s, nd.env.Opt.Window
	for len(targets) > 0 || len(sources) > 0 {
		if !nd.own.rma {
			for _, from := range sources[:min(w, len(sources))] {
				buf := nd.rx[nd.slot(i, from):][:nd.size]
				if err := nd.try("fi_trecv", func() error { return s.EP.TRecv(buf, fi.AddrUnspec, tagData+uint64(from), 0, nd) }); err != nil {
					return err
				}
				s.RxSeq++
			}
		}
		for _, to := range targets[:min(w, len(targets))] {
			if err := nd.send(i, to); err != nil {
				return err
			}
		}
		if err := s.WaitTx(s.TxSeq); err != nil {
			return err
		}
		if err := s.WaitRx(s.RxSeq); err != nil {
			return err
		}
		targets, sources = targets[min(w, len(targets)):], sources[min(w, len(sources)):]
	}
	return nil
}

// send starts a message, or a write, to a rank.
func (nd *node) send(i, to int) error {
	s, me := nd.s, nd.job.rank
	buf := nd.tx[nd.slot(i, to):][:nd.size]
	fill.FillAt(buf, shift(i, me))
	if nd.own.timing {
		nd.timers[i*nd.job.n+to].start = time.Now().UnixNano()
	}
	post := func() error { return s.EP.TSend(buf, nd.addrs[to], tagData+uint64(me), nd) }
	call := "fi_tsend"
	if nd.own.rma {
		at := nd.regions[to].At(uint64(nd.slot(i, me)))
		post = func() error { return s.EP.Write(buf, nd.addrs[to], at, nd) }
		call = "fi_write"
	}
	err := nd.try(call, post)
	if err == nil {
		s.TxSeq++
	}
	return err
}

// try posts until there is room.
func (nd *node) try(call string, post func() error) error {
	return nd.s.Until(func() (bool, error) {
		err := post()
		if err == fi.ErrAgain { //nolint:errorlint // a bare value
			return false, nd.s.Progress()
		}
		return true, fail.Call(call, err)
	})
}

// check looks at what the sources have sent, and wipes it.
func (nd *node) check(i int, sources []int) error {
	for _, from := range sources {
		got := nd.rx[nd.slot(i, from):][:nd.size]
		fill.FillAt(nd.from, shift(i, from))
		if !bytes.Equal(got, nd.from) {
			return fail.Call("ft_check_buf", fmt.Errorf("iteration %d: what came from rank %d begins with %q, expected %q: %w", i, from, got[:min(8, len(got))], nd.from[:min(8, nd.size)], fi.ErrIO))
		}
		clear(got)
	}
	return nil
}

// barrier waits until all ranks are here, by empty messages: to rank 0, and back.
func (nd *node) barrier() error {
	s := nd.s
	tell := func(to int) error {
		s.Peer = nd.addrs[to]
		return s.PostTxMsg(nil, s.Context(0), 0, fi.OpDeliveryComplete)
	}
	hear := func(n int) error {
		for range n {
			if err := s.PostRx(nil, s.Context(0)); err != nil {
				return err
			}
		}
		return s.WaitRx(s.RxSeq)
	}
	if nd.job.rank > 0 {
		if err := tell(0); err != nil {
			return err
		}
		if err := s.WaitTx(s.TxSeq); err != nil {
			return err
		}
		return hear(1)
	}
	if err := hear(nd.job.n - 1); err != nil {
		return err
	}
	for to := 1; to < nd.job.n; to++ {
		if err := tell(to); err != nil {
			return err
		}
	}
	return s.WaitTx(s.TxSeq)
}
