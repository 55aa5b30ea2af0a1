package device

import (
	"context"
	"sync"
	"time"
)

// agreement is how the members of a scope that live agree on something, whoever dies meanwhile. The member with the lowest
// rank that is not known to be gone collects the votes, decides and tells the others. When it dies the next one takes
// over: it asks everybody, and whoever has heard a decision says that instead of its vote. So a decision that a living
// member has returned is everybody's.
//
// An agreement can be decided only when all living members have voted, and so have heard the decision of the one before
// it: older ones need not be remembered.
type agreement struct {
	s    *Scope
	turn chan struct{} // holds one token: who has it calls Agree

	mu      sync.Mutex
	number  uint32          // guarded by mu, as what follows: of the agreement that is next or runs
	mine    *ballot         // nil: nothing was said yet
	votes   map[int]*ballot // of the others, by rank
	early   map[int]*ballot // for the agreement after this one
	decided *ballot
	last    *ballot // what the one before has decided
	chaired int     // the highest rank that has polled: what lower ones decided since is void
}

func (a *agreement) init(s *Scope) {
	a.s, a.turn = s, make(chan struct{}, 1)
	a.turn <- struct{}{}
	a.votes, a.early = map[int]*ballot{}, map[int]*ballot{}
}

// used tells whether others may still want to know something.
func (a *agreement) used() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.number > 0 || a.mine != nil
}

// again is how often a vote is said again to who has not answered.
const again = 50 * time.Millisecond

// Agree has the members that live agree on their votes. All of them call it as many times. It works in a revoked context,
// and with members that die in the middle. When ctx ends first the vote stands, and the next call goes on with the same
// agreement.
//
// Errors: ctx's; that of a device that is closed.
func (s *Scope) Agree(ctx context.Context, v Vote) (Decision, error) {
	a, d := &s.agreement, s.d
	select {
	case <-a.turn:
	default:
		select {
		case <-a.turn:
		case <-ctx.Done():
			return Decision{}, ctx.Err()
		}
	}
	defer func() { a.turn <- struct{}{} }()
	d.serveOnce.Do(d.Watch) // from now on the others may need an answer at any time
	a.begin(v)
	var said time.Time
	var over bool
	err := d.Await(ctx, func() bool {
		over = a.step()
		if now := time.Now(); !over && now.Sub(said) > again {
			said = now
			a.say()
		}
		return over
	}, func(long bool) error {
		said = time.Time{} // somebody may have died
		if long {
			a.ask()
		}
		return nil
	}, AnyPeer, controlTag)
	if err != nil {
		return Decision{}, err
	}
	return a.end(), nil
}

// begin notes one's own vote.
func (a *agreement) begin(v Vote) {
	size := a.s.d.Size
	failed, acked := make([]bool, size), make([]bool, size)
	for _, r := range a.s.Failed() {
		failed[r] = true
	}
	for _, r := range a.s.Acknowledged() {
		acked[r] = true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.mine == nil {
		a.mine = &ballot{context: a.s.Context, number: a.number, Vote: v, failed: failed, acked: acked}
	}
}

// chair is the member that decides.
func (a *agreement) chair() int {
	for _, r := range a.s.Ranks() {
		if !a.s.d.Failed(r) {
			return r
		}
	}
	return a.s.d.Rank
}

// missing are the living members that have not voted. The caller holds mu.
func (a *agreement) missing() []int {
	var rs []int
	for _, r := range a.s.Ranks() {
		if r != a.s.d.Rank && a.votes[r] == nil && !a.s.d.Failed(r) {
			rs = append(rs, r)
		}
	}
	return rs
}

// step decides if it is on us to do so and everything is there, and tells whether there is a decision.
func (a *agreement) step() bool {
	d := a.s.d
	chair := a.chair()
	a.mu.Lock()
	if a.decided != nil || chair != d.Rank || len(a.missing()) > 0 {
		defer a.mu.Unlock()
		return a.decided != nil
	}
	sum := a.mine.clone()
	for _, v := range a.votes {
		sum.add(v)
	}
	for _, r := range a.s.Failed() {
		sum.failed[r] = true
	}
	for r, gone := range sum.failed {
		sum.unacked = sum.unacked || gone && !sum.acked[r]
	}
	a.decided = sum
	a.mu.Unlock()
	a.tell(kindDecided, sum)
	return true
}

// say gives one's vote to who decides, or, when that is oneself, asks for those that are missing.
func (a *agreement) say() {
	d, chair := a.s.d, a.chair()
	a.mu.Lock()
	mine, missing := a.mine, a.missing()
	a.mu.Unlock()
	if chair != d.Rank {
		d.Tell(chair, kindVote, mine.encode())
		return
	}
	for _, r := range missing {
		d.Tell(r, kindPoll, mine.encode())
	}
}

// ask finds out whether those who are waited for live.
func (a *agreement) ask() {
	d, chair := a.s.d, a.chair()
	if chair != d.Rank {
		d.Ask(chair, a.s.Context)
		return
	}
	a.mu.Lock()
	missing := a.missing()
	a.mu.Unlock()
	d.askSome(missing, a.s.Context)
}

func (a *agreement) tell(k Kind, v *ballot) {
	d, b := a.s.d, v.encode()
	for _, r := range a.s.Ranks() {
		if !d.Failed(r) {
			d.Tell(r, k, b)
		}
	}
}

// end goes on to the next agreement.
func (a *agreement) end() Decision {
	a.mu.Lock()
	defer a.mu.Unlock()
	x := a.decided.decision()
	a.last, a.decided, a.mine = a.decided, nil, nil
	a.votes, a.early = a.early, map[int]*ballot{}
	a.number++
	a.chaired = 0
	return x
}

// agreementOf finds what a message is about.
func (d *Device) agreementOf(from int, body []byte) (*agreement, *ballot) {
	v, ok := decodeBallot(body, d.Size)
	if !ok {
		return nil, nil
	}
	s := d.scope(v.context)
	if s == nil || !s.has(from) {
		return nil, nil
	}
	return &s.agreement, &v
}

func (d *Device) heardVote(from int, body []byte) {
	a, v := d.agreementOf(from, body)
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	switch v.number {
	case a.number:
		a.votes[from] = v
		if a.decided != nil {
			d.Tell(from, kindDecided, a.decided.encode())
		}
	case a.number + 1:
		a.early[from] = v
	case a.number - 1:
		if a.last != nil {
			d.Tell(from, kindDecided, a.last.encode())
		}
	}
}

// heardPoll answers a member that wants to decide.
func (d *Device) heardPoll(from int, body []byte) {
	a, v := d.agreementOf(from, body)
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case v.number == a.number && a.decided != nil:
		d.Tell(from, kindDecided, a.decided.encode())
	case v.number == a.number && a.mine != nil:
		a.chaired = max(a.chaired, from)
		d.Tell(from, kindVote, a.mine.encode())
	case v.number == a.number-1 && a.last != nil:
		d.Tell(from, kindDecided, a.last.encode())
	}
}

// heardDecided takes a decision, if it is one that we have a part in.
func (d *Device) heardDecided(from int, body []byte) {
	a, v := d.agreementOf(from, body)
	if a == nil || v.failed[d.Rank] {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if v.number == a.number && a.mine != nil && a.decided == nil && from >= a.chaired {
		a.decided = v
	}
}
