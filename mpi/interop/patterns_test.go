package interop_test

import (
	"fmt"

	"github.com/gofabric/gofabric/mpi"
)

func (r *rank) persistent(c *mpi.Comm) error {
	if r.number() == typeF64 {
		return again(r, c, floats[float64]())
	}
	return again(r, c, integers[int32]())
}

// again sends round a ring by persistent requests.
func again[T any](r *rank, c *mpi.Comm, k kind[T]) error {
	var count, rounds, shift, mode int
	if err := r.numbers(&count, &rounds, &shift, &mode); err != nil {
		return err
	}
	to, from := neighbours(c, shift)
	send, recv := make([]T, count), k.filled(r.step, opPlain, r.me, 63, count)
	begin := mpi.SendInit[T]
	if mode == modeSynchronous {
		begin = mpi.SsendInit[T]
	}
	s, err := begin(c, send, to, 7)
	if err != nil {
		return err
	}
	q, err := mpi.RecvInit(c, recv, from, 7)
	if err != nil {
		return err
	}
	for round := range rounds {
		k.fill(send, r.step, opPlain, r.me, round)
		if err := mpi.StartAll(s, q); err != nil {
			return err
		}
		if err := mpi.WaitAll(r.ctx, s.Request, q.Request); err != nil {
			return err
		}
		r.say("round %d: %016x", round, k.digest(recv))
	}
	return nil
}

// neighbours are the ranks that are so far away, above and below.
func neighbours(c *mpi.Comm, shift int) (to, from int) {
	n := c.Size()
	return (c.Rank() + shift) % n, (c.Rank() + n - shift%n) % n
}

func (r *rank) exchange(c *mpi.Comm) error {
	if r.number() == typeF64 {
		return both(r, c, floats[float64]())
	}
	return both(r, c, integers[int32]())
}

// both sends and receives in one call.
func both[T any](r *rank, c *mpi.Comm, k kind[T]) error {
	var n, shift, replace int
	if err := r.numbers(&n, &shift, &replace); err != nil {
		return err
	}
	to, from := neighbours(c, shift)
	send, recv := k.filled(r.step, opPlain, r.me, 0, n), k.filled(r.step, opPlain, r.me, 63, n)
	var st mpi.Status
	var err error
	if replace != 0 {
		recv = send
		st, err = mpi.SendRecvReplace(r.ctx, c, send, to, 3, from, 3)
	} else {
		st, err = mpi.SendRecv(r.ctx, c, send, to, 3, recv, from, mpi.AnyTag)
	}
	if err != nil {
		return err
	}
	n = count[T](st)
	r.say("exchange from %d tag %d: %d %016x", st.Source, st.Tag, n, k.digest(recv[:n]))
	return nil
}

func (r *rank) flood(c *mpi.Comm) error {
	if r.number() == typeF64 {
		return manyToOne(r, c, floats[float64]())
	}
	return manyToOne(r, c, integers[int32]())
}

// manyToOne has all send to one, which receives from anybody: what it gets is added up.
func manyToOne[T any](r *rank, c *mpi.Comm, k kind[T]) error {
	var n, most, root int
	if err := r.numbers(&n, &most, &root); err != nil {
		return err
	}
	root %= c.Size()
	var rs []*mpi.Request
	for i := range n {
		length := int(int32(mix(uint64(r.step*4096+i*64+c.Rank())) % uint64(most+1)))
		q, err := mpi.Isend(c, k.filled(r.step, opPlain, r.me, i%64, length), root, i)
		if err != nil {
			return err
		}
		rs = append(rs, q)
	}
	if c.Rank() == root {
		recv := k.filled(r.step, opPlain, r.me, 63, most)
		var sum uint64
		for range n * c.Size() {
			st, err := mpi.Recv(r.ctx, c, recv, mpi.AnySource, mpi.AnyTag)
			if err != nil {
				return err
			}
			sum += k.digest(recv[:count[T](st)]) ^ mix(uint64(st.Source*65536+st.Tag))
		}
		r.say("flood: %016x", sum)
	}
	if err := mpi.WaitAll(r.ctx, rs...); err != nil {
		return err
	}
	return c.Barrier(r.ctx) // what comes then must not be taken for a part of it
}

// tell says what place this rank has in a new communicator.
func (r *rank) tell(number int, c *mpi.Comm) {
	if c == nil {
		r.say("none")
		return
	}
	r.comms[number] = c
	r.say("rank %d of %d", c.Rank(), c.Size())
}

func (r *rank) dup() error {
	number, c := r.number(), r.comms[r.number()]
	if c == nil {
		return r.err
	}
	d, err := c.Dup(r.ctx)
	if err == nil {
		r.tell(number, d)
	}
	return err
}

func (r *rank) split() error {
	number, c, n := r.number(), r.comms[r.number()], r.number()
	if c == nil {
		return r.err
	}
	var color, key int
	for i := range n {
		x, y := r.number(), r.number()
		if i == c.Rank()%n {
			color, key = x, y
		}
	}
	if color < 0 {
		color = mpi.Undefined
	}
	d, err := c.Split(r.ctx, color, key)
	if err == nil {
		r.tell(number, d)
	}
	return err
}

func (r *rank) free() error {
	n := r.number()
	c := r.comms[n]
	delete(r.comms, n)
	if c == nil {
		return r.err
	}
	if err := c.Close(); err != nil {
		return fmt.Errorf("communicator %d: %w", n, err)
	}
	return nil
}
