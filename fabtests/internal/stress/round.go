package stress

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
)

// round runs one round of a rank.
func (k *rank) round(ctx context.Context, number int) error {
	p := newPlan(k.choice, number)
	n := &node{plan: p, rank: k.index, link: k.link, patience: k.patience, opts: k.opts, info: k.info,
		names: map[place]string{}, addr: map[place]fi.Addr{}, byAddr: map[fi.Addr]place{}}
	err := n.open()
	for _, h := range p.Phases {
		if err != nil {
			break
		}
		err = n.phase(ctx, h)
	}
	if err == nil {
		n.closing.Store(true)
		_, err = gather(ctx, k.link, k.patience, "close", 0, n.idle)
	}
	if err != nil {
		err = k.explain(n, number, err)
		k.closeWithin(n, viewTime) //nolint:errcheck // the first error counts
		return err
	}
	if err = k.closeWithin(n, k.patience); err == nil && n.stop.Load() {
		err = n.fault()
	}
	if err != nil {
		return k.explain(n, number, err)
	}
	k.total.Operations += n.total.Operations
	k.total.Bytes += n.total.Bytes
	return nil
}

// closeWithin closes all that a round has opened; one that hangs is a fault.
func (k *rank) closeWithin(n *node, patience time.Duration) error {
	done := make(chan error, 1)
	go func() { done <- n.close() }()
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
		return &fault{Rank: k.index, Step: -1, Text: fmt.Sprintf("closing has not come to an end for %v", patience), View: stacks()}
	}
}

// explain tells the other ranks of a failure, or what this rank knows of theirs; rank 0 gets the whole report.
func (k *rank) explain(n *node, number int, err error) error {
	n.stop.Store(true)
	if errors.Is(err, errTold) {
		step := -1
		select {
		case <-k.link.abort:
			step = k.link.reason.Step
		default:
		}
		k.link.write(&note{Kind: "view", Text: n.view(step)}) //nolint:errcheck // the hub has gone then, and the run is over
	} else {
		f, ok := errors.AsType[*fault](err)
		if !ok {
			f = &fault{Rank: k.index, Step: -1, Text: err.Error()}
		}
		f.Seed, f.Round, f.Plan = k.choice.Seed, number, n.plan.words()
		if n.h != nil {
			f.Phase = n.h.Index
		}
		if f.View == "" && f.Step >= 0 {
			f.View = n.view(f.Step)
		}
		k.link.write(&note{Kind: "fail", Fail: f}) //nolint:errcheck // as above
	}
	return errTold
}

// rank is one side of a run.
type rank struct {
	choice   choice
	index    int
	link     *link
	patience time.Duration
	opts     []fabric.Option
	info     *fi.Info
	total    totals
	shared   bool // other ranks run in this process: the first one measures
	base     *held
}

// leaks measures after a round; the first one only warms up.
func (k *rank) leaks(ctx context.Context) error {
	if _, err := gather(ctx, k.link, k.patience, "closed", 0, nil); err != nil {
		return err
	}
	var err error
	switch {
	case k.shared && k.index > 0:
	case k.base == nil:
		h := measure()
		k.base = &h
	default:
		if text := k.base.settle(k.patience / 3); text != "" {
			err = &fault{Rank: k.index, Step: -1, Text: "after the round there are more things than after the first: " + text}
		}
	}
	return err
}
