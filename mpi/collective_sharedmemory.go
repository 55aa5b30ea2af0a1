package mpi

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/coll"
	"github.com/gofabric/gofabric/mpi/internal/segment"
	"github.com/gofabric/gofabric/mr"
)

// sharedMemory is a communicator's segment, as its first member owns it and as the others map it.
type sharedMemory struct {
	bytes  []byte
	own    *mr.Memory // of the first member
	region *fabric.MR
	unmap  func() error // of the others
	seg    *segment.Segment
}

// beginShared does an operation before which the memory is made. It is the caller's last act with the lock.
func (c *Comm) beginShared(ctx context.Context, k *collective) (done bool, err error) {
	call := *k
	over := make(chan error, 1)
	go func() {
		over <- c.makeShared(context.WithoutCancel(ctx))
	}()
	select {
	case err = <-over:
	case <-ctx.Done():
		return true, c.inBackground(k.call, ctx.Err(), func() error {
			err := <-over
			c.shared.mu.Unlock()
			if err != nil {
				return err
			}
			return c.byMessages(context.Background(), &call)
		})
	}
	c.shared.mu.Unlock()
	if err != nil {
		return true, err
	}
	return false, nil // the next one is the first that uses it
}

// makeShared makes the memory at the first member, and maps it at the others. When that cannot be at one of them, nobody
// uses any.
func (c *Comm) makeShared(ctx context.Context) error {
	s := &c.shared
	if !c.oneHost() || c.size > segment.MaxMembers || c.rank < 0 || c.size != c.reach() {
		s.off.Store(true)
		return nil
	}
	m := &sharedMemory{}
	var offer [mr.RemoteSize]byte
	var have uint32
	if c.rank == 0 && m.make(c) == nil {
		have = 1
		raw, _ := m.region.Remote().MarshalBinary()
		copy(offer[:], raw)
	}
	b := collective{call: "Bcast", form: internal, args: coll.Args{Coll: coll.Broadcast, Count: len(offer), Size: 1}}
	if b.out = offer[:]; c.rank == 0 {
		b.in, b.out = offer[:], nil
	}
	if err := c.byMessages(ctx, &b); err != nil {
		return err
	}
	if c.rank != 0 && offer != [mr.RemoteSize]byte{} && m.join(ctx, c, offer[:]) == nil {
		have = 1
	}
	s.wait = sharedWait{c: c, bell: make(chan struct{}, 1)}
	if have == 1 {
		var err error
		if m.seg, err = segment.New(m.bytes, c.size, c.rank, &s.wait); err != nil {
			have = 0
		} else {
			m.seg.Join()
		}
	}
	missing, err := c.most(ctx, b.call, 1-have)
	if err != nil || missing != 0 {
		s.off.Store(true)
		if m.seg != nil {
			m.seg.Leave()
		}
		c.job.shares.drop(m)
		return err
	}
	m.seg.Settle()
	s.mem, s.seg = m, m.seg
	return nil
}

func (m *sharedMemory) make(c *Comm) error {
	n := segment.Size(c.size)
	var err error
	if m.own, err = mr.Alloc(n); err != nil {
		return err
	}
	m.bytes = m.own.Bytes()
	const rights = fi.AccessRemoteRead | fi.AccessRemoteWrite
	if m.region, err = c.job.dev.Domain().RegisterMR(m.bytes, rights, &fi.MRAttr{Key: uint64(c.id)<<32 | 1<<31}); err != nil {
		_ = m.own.Free()
		m.own = nil
	}
	return err
}

func (m *sharedMemory) join(ctx context.Context, c *Comm, offer []byte) error {
	var at mr.Remote
	if err := at.UnmarshalBinary(offer); err != nil {
		return err
	}
	d := c.job.dev
	var err error
	m.bytes, m.unmap, err = d.Endpoint().Map(ctx, d.Addr(c.world(0)), at, segment.Size(c.size))
	return err
}

// oneHost tells whether all members are on one host.
func (c *Comm) oneHost() bool {
	members, hosts := c.members(), c.job.hosts
	return !slices.ContainsFunc(members, func(w int) bool { return hosts[w] != hosts[members[0]] })
}

// shares are the segments that this process has left and that others may still use.
type shares struct {
	mu   sync.Mutex
	left []*sharedMemory // guarded by mu
}

// leave ends the use of a communicator's segment, unless an operation goes on in it without its caller.
func (x *shares) leave(s *shared) {
	s.off.Store(true)
	if !s.mu.TryLock() {
		return
	}
	m := s.mem
	s.mem, s.seg = nil, nil
	s.mu.Unlock()
	if m != nil {
		m.seg.Leave()
		x.drop(m)
	}
}

// drop releases memory, now or when the others have left it.
func (x *shares) drop(m *sharedMemory) {
	x.mu.Lock()
	defer x.mu.Unlock()
	kept := x.left[:0]
	for _, old := range append(x.left, m) {
		if old.own != nil && old.seg != nil && old.seg.Users() > 0 {
			kept = append(kept, old)
		} else {
			_ = old.release()
		}
	}
	x.left = kept
}

func (m *sharedMemory) release() error {
	var errs []error
	if m.unmap != nil {
		errs = append(errs, m.unmap())
	}
	if m.region != nil {
		errs = append(errs, m.region.Close())
	}
	if m.own != nil {
		errs = append(errs, m.own.Free())
	}
	return errors.Join(errs...)
}

// leaveAll ends the use of all segments, before the last barrier of a job.
func (x *shares) leaveAll(j *job) {
	j.comms.Range(func(_, c any) bool {
		x.leave(&c.(*Comm).shared)
		return true
	})
}

// free releases everything at the end of a job. What others still use, when it does not end as it should, stays.
func (x *shares) free() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	var errs []error
	for _, m := range x.left {
		if m.own == nil || m.seg.Users() == 0 {
			errs = append(errs, m.release())
		} else {
			errs = append(errs, m.region.Close())
		}
	}
	x.left = nil
	return errors.Join(errs...)
}
