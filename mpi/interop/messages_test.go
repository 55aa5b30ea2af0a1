package interop_test

import (
	"fmt"
	"reflect"

	"github.com/gofabric/gofabric/mpi"
)

// Modes of sends and manners of receives, as scripts number them.
const (
	modeStandard = iota
	modeBuffered
	modeSynchronous
	modeReady
)

const (
	howExact = iota
	howAnySource
	howAnyTag
	howProbe
	howMprobe
	howLonger
	howProbeAny
)

// message is one of a step of several.
type message struct{ src, dst, tag, count, mode, how int }

func (m *message) source() int {
	if m.how == howAnySource || m.how == howProbeAny {
		return mpi.AnySource
	}
	return m.src
}

func (m *message) match() int {
	if m.how == howAnyTag {
		return mpi.AnyTag
	}
	return m.tag
}

func (m *message) room() int {
	if m.how == howLonger {
		return m.count + 100
	}
	return m.count
}

func (r *rank) messages(c *mpi.Comm) error {
	switch r.number() {
	case typeI32:
		return exchangeAll(r, c, integers[int32]())
	case typeI64:
		return exchangeAll(r, c, integers[int64]())
	case typeF32:
		return exchangeAll(r, c, floats[float32]())
	case typeF64:
		return exchangeAll(r, c, floats[float64]())
	case typeU8:
		return exchangeAll(r, c, integers[uint8]())
	case typeU16:
		return exchangeAll(r, c, integers[uint16]())
	case typeInts:
		return exchangeAll(r, c, ints)
	case typeDoubleInt:
		return exchangeAll(r, c, doubleInt)
	}
	return exchangeAll(r, c, matrices)
}

// parcel is a message with its memory.
type parcel[T any] struct {
	message
	send, recv []T
}

func exchangeAll[T any](r *rank, c *mpi.Comm, k kind[T]) error {
	var oneByOne, wait, n int
	if err := r.numbers(&oneByOne, &wait, &n); err != nil {
		return err
	}
	all := make([]parcel[T], n)
	for i := range all {
		m := &all[i]
		if err := r.numbers(&m.src, &m.dst, &m.tag, &m.count, &m.mode, &m.how); err != nil {
			return err
		}
		m.src %= c.Size()
		m.dst %= c.Size()
		if m.src == c.Rank() {
			m.send = k.filled(r.step, opPlain, r.me, i%64, m.count)
		}
		if m.dst == c.Rank() {
			m.recv = k.filled(r.step, opPlain, r.me, 63, m.room())
		}
	}
	if oneByOne != 0 {
		return inTurn(r, c, k, all)
	}
	return atOnce(r, c, k, all, wait)
}

// inTurn does one message after the other.
func inTurn[T any](r *rank, c *mpi.Comm, k kind[T], all []parcel[T]) error {
	for i := range all {
		m := &all[i]
		var err error
		switch c.Rank() {
		case m.src:
			if m.dst != m.src {
				err = transmit(r, c, m)
				break
			}
			var q *mpi.Request
			if q, err = begin(c, m); err == nil {
				if err = receive(r, c, k, m, i); err == nil {
					_, err = q.Wait(r.ctx)
				}
			}
		case m.dst:
			err = receive(r, c, k, m, i)
		}
		if err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
	}
	return nil
}

// atOnce begins all messages and then waits for them.
func atOnce[T any](r *rank, c *mpi.Comm, k kind[T], all []parcel[T], wait int) error {
	receives := make([]*mpi.Request, len(all))
	var requests []*mpi.Request
	for i := range all {
		if m := &all[i]; m.dst == c.Rank() {
			q, err := mpi.Irecv(c, m.recv, m.source(), m.match())
			if err != nil {
				return err
			}
			receives[i] = q
			requests = append(requests, q)
		}
	}
	if err := c.Barrier(r.ctx); err != nil {
		return err
	}
	for i := range all {
		if m := &all[i]; m.src == c.Rank() {
			q, err := begin(c, m)
			if err != nil {
				return err
			}
			requests = append(requests, q)
		}
	}
	if err := r.wait(wait, requests); err != nil {
		return err
	}
	for i, q := range receives {
		if q == nil {
			continue
		}
		st, err := q.Wait(r.ctx)
		if err != nil {
			return err
		}
		got(r, k, &all[i], i, st)
	}
	return nil
}

// wait waits for all requests in one of the ways that there are.
func (r *rank) wait(how int, rs []*mpi.Request) error {
	switch how % 6 {
	case 1:
		for range rs {
			i, _, err := mpi.WaitAny(r.ctx, rs...)
			if err != nil {
				return err
			}
			rs[i] = nil
		}
	case 2:
		for left := len(rs); left > 0; {
			places, _, err := mpi.WaitSome(r.ctx, rs...)
			if err != nil {
				return err
			}
			for _, i := range places {
				rs[i] = nil
				left--
			}
		}
	case 3:
		for {
			if over, err := mpi.TestAll(rs...); over || err != nil {
				return err
			}
		}
	case 4:
		for _, q := range rs {
			select {
			case <-q.Done():
			case <-r.ctx.Done():
				return r.ctx.Err()
			}
		}
	case 5:
		for range mpi.Completions(r.ctx, rs...) { // each once
		}
	}
	return mpi.WaitAll(r.ctx, rs...)
}

// count is how many elements were received.
func count[T any](st mpi.Status) int { return st.Bytes / int(reflect.TypeFor[T]().Size()) }

func got[T any](r *rank, k kind[T], m *parcel[T], i int, st mpi.Status) {
	n := count[T](st)
	r.say("message %d from %d tag %d: %d %016x", i, st.Source, st.Tag, n, k.digest(m.recv[:n]))
}

func receive[T any](r *rank, c *mpi.Comm, k kind[T], m *parcel[T], i int) error {
	var st mpi.Status
	var err error
	switch m.how {
	case howProbe, howProbeAny:
		if st, err = c.Probe(r.ctx, m.source(), m.match()); err != nil {
			return err
		}
		r.say("probe %d from %d tag %d: %d", i, st.Source, st.Tag, count[T](st))
		st, err = mpi.Recv(r.ctx, c, m.recv[:count[T](st)], st.Source, st.Tag)
	case howMprobe:
		var taken *mpi.Message
		if taken, err = c.Mprobe(r.ctx, m.source(), m.match()); err != nil {
			return err
		}
		st, err = mpi.RecvMessage(r.ctx, taken, m.recv[:count[T](taken.Status)])
	default:
		st, err = mpi.Recv(r.ctx, c, m.recv, m.source(), m.match())
	}
	if err != nil {
		return err
	}
	got(r, k, m, i, st)
	return nil
}

func transmit[T any](r *rank, c *mpi.Comm, m *parcel[T]) error {
	switch m.mode {
	case modeBuffered:
		return mpi.Bsend(r.ctx, c, m.send, m.dst, m.tag)
	case modeSynchronous:
		return mpi.Ssend(r.ctx, c, m.send, m.dst, m.tag)
	}
	return mpi.Send(r.ctx, c, m.send, m.dst, m.tag)
}

func begin[T any](c *mpi.Comm, m *parcel[T]) (*mpi.Request, error) {
	if m.mode == modeSynchronous {
		return mpi.Issend(c, m.send, m.dst, m.tag)
	}
	return mpi.Isend(c, m.send, m.dst, m.tag)
}
