package stress

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofabric/gofabric/fi"
)

// outcome is what a rank tells when it is done with the steps of a phase.
type outcome struct {
	Fetched []fetched
	Reads   [][]int // remote reads by place: an atomic that compares may need several
}

// phase runs one phase. The error is errTold for a failure that another rank has found.
func (n *node) phase(ctx context.Context, h *phase) error {
	n.h = h
	r := rand.New(rand.NewPCG(h.key(1<<29), uint64(n.rank)))
	if err := n.reopen(); err != nil {
		return err
	}
	if err := n.openRegion(); err != nil {
		return err
	}
	mine := card{}
	for _, p := range n.ports {
		name, err := p.ep.Name()
		if err != nil {
			return err
		}
		mine.Names = append(mine.Names, name)
	}
	if n.region != nil {
		mine.Remote = n.region.Remote()
	}
	cards, err := gather(ctx, n.link, n.patience, fmt.Sprintf("names %d", h.Index), mine, n.idle)
	if err != nil {
		return err
	}
	if err := n.meet(cards, r); err != nil {
		return err
	}
	n.assign()
	if _, err := gather(ctx, n.link, n.patience, fmt.Sprintf("start %d", h.Index), 0, n.idle); err != nil {
		return err
	}
	all, err := n.operate(ctx, r)
	if err != nil {
		return err
	}
	if err := n.settle(ctx, all); err != nil {
		return err
	}
	if _, err := gather(ctx, n.link, n.patience, fmt.Sprintf("end %d", h.Index), 0, n.idle); err != nil {
		return err
	}
	if err := n.part(); err != nil {
		return err
	}
	n.postStale()
	if n.stop.Load() {
		return n.fault()
	}
	return n.closeRegion()
}

// fault is what was found here, or elsewhere.
func (n *node) fault() error {
	if f := n.bad.Load(); f != nil {
		return f
	}
	return errTold
}

// reopen closes endpoints and opens them again, as the plan says.
func (n *node) reopen() error {
	for _, p := range n.ports {
		if !n.h.Reopen[n.rank][p.lane] {
			continue
		}
		if err := p.close(); err != nil {
			return err
		}
		n.drainAll()
		p.rx.allBack()
		if n.stop.Load() {
			return n.fault()
		}
		if err := p.open(n.info); err != nil {
			return err
		}
		if err := p.ep.Enable(); err != nil {
			return err
		}
	}
	return nil
}

// assign gives each port its part of the steps.
func (n *node) assign() {
	h := n.h
	n.data, n.fetched, n.reads = map[uint64]*step{}, nil, nil
	for range h.Ranks {
		n.reads = append(n.reads, make([]int, h.Lanes))
	}
	for _, p := range n.ports {
		p.tx = &txStream{p: p}
		old := p.rx
		p.rx = &rxStream{p: p, mode: h.Untagged[n.rank][p.lane], queue: map[place][]*step{}, buffers: map[*op]bool{}, stale: map[*op]bool{}, seen: map[int]bool{}}
		if old != nil {
			p.rx.buffers, p.rx.stale = old.buffers, old.stale
		}
	}
	left := int64(0)
	for _, s := range h.Steps {
		if s.From.Rank == n.rank && s.Kind != cancelOnly {
			p := n.at(s.From.Lane, s.To.Rank)
			p.tx.steps = append(p.tx.steps, s)
			left++
		}
		if s.To.Rank != n.rank {
			continue
		}
		x := n.at(s.To.Lane, s.From.Rank)
		if s.Kind == cancelOnly && n.Type == fi.EPMsg {
			x = n.ports[s.ID%len(n.ports)]
		}
		switch {
		case s.Kind == write && s.Data:
			n.data[h.data(s)] = s
			left++
		case s.Kind == sendMsg && x.rx.mode == rxMulti:
			x.rx.multi++
			left++
		case s.Kind == sendMsg && x.rx.mode == rxAny:
			x.rx.queue[s.From] = append(x.rx.queue[s.From], s)
			x.rx.accepting.steps = append(x.rx.accepting.steps, s)
			left++
		case s.Kind == sendMsg, s.Kind == sendTagged, s.Kind == cancelOnly:
			x.rx.asking.steps = append(x.rx.asking.steps, s)
			left++
		}
	}
	n.left.Store(left)
	n.total.Operations += left
}

// operate runs the steps: the threads post and read, this goroutine waits until all is done everywhere.
func (n *node) operate(ctx context.Context, r *rand.Rand) ([]outcome, error) {
	n.over.Store(false)
	var threads sync.WaitGroup
	for i := range n.Threads {
		threads.Go(func() { n.thread(i) })
	}
	defer threads.Wait()
	defer n.over.Store(true)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	last, since := n.moved.Load(), time.Now()
	for n.left.Load() > 0 && !n.stop.Load() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-n.link.abort:
			return nil, errTold
		}
		if n.Threading == fi.ThreadSafe && n.Ops.has(opAV) && n.av != nil {
			if err := n.churn(r); err != nil {
				return nil, err
			}
		}
		if now := n.moved.Load(); now != last {
			last, since = now, time.Now()
		} else if time.Since(since) > n.patience {
			n.stuck()
		}
	}
	if n.stop.Load() {
		return nil, n.fault()
	}
	n.mu.Lock()
	mine := outcome{n.fetched, n.reads}
	n.mu.Unlock()
	all, err := gather(ctx, n.link, 2*n.patience, fmt.Sprintf("done %d", n.h.Index), mine, nil)
	if err == nil && n.stop.Load() {
		err = n.fault()
	}
	return all, err
}

// stuck says which steps have not come to an end.
func (n *node) stuck() {
	open := n.unfinished()
	if len(open) == 0 {
		n.fail(nil, "", "nothing has happened for %v, and %d steps are not done", n.patience, n.left.Load())
		return
	}
	n.fail(open[0].s, open[0].text, "nothing has happened for %v, and %d steps are not done", n.patience, n.left.Load())
}

// thread does its share until the phase is over: some queues and some streams.
func (n *node) thread(index int) {
	rest := 0
	for !n.over.Load() && !n.stop.Load() {
		busy := false
		for i, p := range n.ports {
			lane := p.lane
			if n.Threading == fi.ThreadSafe { // both directions of one endpoint may be two threads'
				lane = 2 * i
			}
			if lane%n.Threads == index {
				busy = p.tx.turn() || busy
			}
			if n.Threading == fi.ThreadSafe {
				lane++
			}
			if lane%n.Threads == index {
				busy = p.rx.turn() || busy
			}
		}
		sleep := time.Duration(0)
		if n.Wait && rest > 20 {
			sleep = time.Millisecond
		}
		for _, q := range n.mine(index) {
			busy = n.drain(n.queues[q], sleep) || busy
			sleep = 0
		}
		switch {
		case busy:
			rest = 0
		case rest > 50:
			time.Sleep(50 * time.Microsecond) // there are more threads than processors
		}
		rest++
	}
}

// mine are the queues that a thread reads.
func (n *node) mine(thread int) []int {
	var out []int
	for i := range n.queues {
		lane := i
		if n.Queues == 2 {
			lane = i / 2
		}
		if lane%n.Threads == thread || n.Threading == fi.ThreadSafe && thread%len(n.queues) == i {
			out = append(out, i)
		}
	}
	return out
}

// settle checks what the other ranks have brought, and waits until the counters are the sums of the completions.
func (n *node) settle(ctx context.Context, all []outcome) error {
	var values []fetched
	for _, o := range all {
		values = append(values, o.Fetched...)
	}
	if id, text := n.h.allFetched(values); id >= 0 {
		n.fail(n.h.Steps[id], "", "%s", text)
		return n.fault()
	}
	for _, p := range n.ports {
		n.expectRemote(p, all)
	}
	for end := time.Now().Add(n.patience); ; {
		n.drainAll()
		text := n.counts()
		if n.stop.Load() {
			return n.fault()
		}
		if text == "" {
			break
		}
		select {
		case <-n.link.abort:
			return errTold
		case <-ctx.Done():
			return context.Cause(ctx)
		default:
		}
		if time.Now().After(end) {
			n.fail(nil, "", "%s", text)
			return n.fault()
		}
	}
	n.checkRegion()
	if n.stop.Load() {
		return n.fault()
	}
	return nil
}

// expectRemote adds what peers have done to this rank's memory by a port.
func (n *node) expectRemote(p *port, all []outcome) {
	for from, o := range all {
		if p.peer < 0 || p.peer == from {
			p.want[cntRemoteRead] += uint64(o.Reads[n.rank][p.lane])
		}
	}
	for _, s := range n.h.Steps {
		if s.To == (place{n.rank, p.lane}) && (p.peer < 0 || p.peer == s.From.Rank) && (s.Kind == write || s.Kind == atomically && !n.kindOf(s).fetches) {
			p.want[cntRemoteWrite]++
		}
	}
}

// counts says which counter is not the sum of the completions; "" when all are.
func (n *node) counts() string {
	for _, p := range n.ports {
		for i, c := range p.counters {
			if c == nil {
				continue
			}
			if v, e := c.Read(), c.ReadErr(); v != p.want[i] || e != p.wantErrs[i] {
				return fmt.Sprintf("endpoint %d (peer %d): the counter of %v is %d, with %d errors; there were %d, with %d errors", p.lane, p.peer, counted[i], v, e, p.want[i], p.wantErrs[i])
			}
		}
	}
	return ""
}

// postStale posts receives that nothing comes for: closing has to give them back.
func (n *node) postStale() {
	if !n.Ops.has(opReopen) || n.Limits.Caps&fi.CapTagged == 0 {
		return
	}
	for _, p := range n.ports {
		s := &step{ID: len(n.h.Steps), Kind: cancelOnly, From: place{n.rank, p.lane}, To: place{n.rank, p.lane}, Tag: 1 << 40, RParts: 1}
		o := p.rx.make(s)
		o.canceled = true
		p.rx.mu.Lock()
		if err := p.rx.post(o); err == nil {
			o.posted = true
			p.rx.stale[o] = true
		} else if err != fi.ErrAgain {
			n.fail(s, "", "posting its receive: %v", p.ep.Explain(err))
		}
		p.rx.mu.Unlock()
	}
}

// openStep is a step that has not come to an end.
type openStep struct {
	s    *step
	text string
}

// unfinished lists the steps that are not done here.
func (n *node) unfinished() []openStep {
	var out []openStep
	for _, p := range n.ports {
		if p.tx == nil || p.rx == nil {
			continue
		}
		p.tx.mu.Lock()
		for _, o := range p.tx.all {
			if !o.done {
				out = append(out, openStep{o.s, "was posted and has not completed"})
			}
		}
		for _, s := range p.tx.steps[p.tx.next:] {
			out = append(out, openStep{s, "has not been posted"})
		}
		p.tx.mu.Unlock()
		p.rx.mu.Lock()
		for i, s := range p.rx.asking.steps {
			text := "its receive is posted and has not completed"
			if i >= p.rx.asking.next {
				text = "its receive has not been posted"
			}
			if !p.rx.seen[s.ID] && s.Kind != cancelOnly {
				out = append(out, openStep{s, text})
			}
		}
		for _, s := range p.rx.accepting.steps {
			if !p.rx.seen[s.ID] {
				out = append(out, openStep{s, fmt.Sprintf("it has not come to one of the %d receives that are posted for whoever sends", p.rx.accepting.out)})
			}
		}
		p.rx.mu.Unlock()
	}
	slices.SortFunc(out, func(a, b openStep) int { return a.s.ID - b.s.ID })
	return out
}

// view is what this rank knows of a step that went wrong elsewhere.
func (n *node) view(id int) string {
	var b strings.Builder
	if n.h == nil {
		return "has not begun"
	}
	open := n.unfinished()
	known := false
	for _, o := range open {
		if o.s.ID == id {
			fmt.Fprintf(&b, "step %d: %s here\n", id, o.text)
			known = true
		}
	}
	if s := n.h.step(id); s != nil && !known && (s.From.Rank == n.rank || s.To.Rank == n.rank) {
		fmt.Fprintf(&b, "step %d is done here\n", id)
	}
	fmt.Fprintf(&b, "in phase %d, %d steps are not done", n.h.Index, n.left.Load())
	if len(open) > 0 {
		fmt.Fprintf(&b, ", the first: %s: %v", open[0].text, open[0].s)
	}
	return b.String()
}

// step gives a step by its number; nil when there is none.
func (p *phase) step(id int) *step {
	if id < 0 || id >= len(p.Steps) {
		return nil
	}
	return p.Steps[id]
}
