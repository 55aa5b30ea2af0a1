package cq

import "math"

// NewRelay makes a queue for who stands between a provider and an application, as hooks do: what the provider writes is
// handed to at once, in the same critical section, and nothing waits in it. Any number of places can be reserved. isErr
// says that e is an error entry; otherwise only its Entry counts. e belongs to the queue and is valid during the call.
// Len and Size are those of behind, the application's queue, so that a provider sees how much waits to be read; behind may
// be nil.
//
// Like all of a Queue, the writing calls need the lock of the domain, and with it runs to: it must not take that lock,
// wait or log.
func NewRelay(behind *Queue, to func(e *ErrEntry, isErr bool)) *Queue {
	q := NewQueue(1)
	q.size = math.MaxInt32
	q.waiting, q.behind = 1, behind
	var e ErrEntry
	var one [1]Entry
	q.signal = func() {
		for q.head != q.tail {
			isErr := q.NextIsErr()
			if isErr {
				q.ReadErr(&e)
			} else {
				q.Read(one[:])
				e.Entry, one[0] = one[0], Entry{}
			}
			to(&e, isErr)
			e = ErrEntry{}
		}
	}
	return q
}
