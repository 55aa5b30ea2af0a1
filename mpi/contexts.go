package mpi

import (
	"context"
	"sync"

	"github.com/gofabric/gofabric/mpi/internal/device"
)

// Contexts of the communicators that are there from the beginning.
const (
	worldContext = iota
	selfContext
	firstContext
)

// contexts are the numbers of this process's communicators and windows. A number is used once.
type contexts struct {
	mu   sync.Mutex
	next uint32
	used map[uint32]bool // those that are at least next: agreed on while a smaller one was being agreed on
}

func (x *contexts) init() { x.next, x.used = firstContext, map[uint32]bool{} }

// propose gives the smallest number from at on that is free here.
func (x *contexts) propose(at uint32) uint32 {
	x.mu.Lock()
	defer x.mu.Unlock()
	at = max(at, x.next)
	for x.used[at] {
		at++
	}
	return at
}

// take uses a number, if it is free.
func (x *contexts) take(id uint32) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if id < x.next || x.used[id] {
		return false
	}
	x.used[id] = true
	return true
}

// settle forgets what was taken for nothing, and looks no more at numbers below those in use.
func (x *contexts) settle() {
	x.mu.Lock()
	defer x.mu.Unlock()
	for x.used[x.next] {
		delete(x.used, x.next)
		x.next++
	}
}

// agree gives a context that is free at all members. Collective. Others may be agreed on at the same time.
func (c *Comm) agree(ctx context.Context, call string) (uint32, error) {
	if err := c.usable(call); err != nil {
		return 0, err
	}
	if c.inter != nil {
		return c.inter.all.agree(ctx, call)
	}
	return c.job.agree(call, func(x uint32) (uint32, error) { return c.most(ctx, call, x) })
}

// agree gives a context that is free at all who take part in most, which gives the largest of their numbers.
func (j *job) agree(call string, most func(uint32) (uint32, error)) (uint32, error) {
	for at := uint32(0); ; {
		id, err := most(j.contexts.propose(at))
		if err != nil {
			return 0, err
		}
		if id >= 1<<device.ContextBits {
			return 0, bad(call, ErrOther, NoRank, "no contexts are left: a job makes at most 2^28 communicators and windows")
		}
		var refused uint32
		if !j.contexts.take(id) {
			refused = 1
		}
		if refused, err = most(refused); err != nil {
			return 0, err
		}
		if refused == 0 {
			j.contexts.settle()
			return id, nil
		}
		at = id + 1
	}
}
