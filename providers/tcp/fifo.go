package tcp

import "slices"

// fifo is a queue that allocates nothing once it has been as long as it gets.
type fifo[T any] struct {
	items []T
	head  int
}

// bigFifo is the capacity above which an empty queue gives its memory back.
const bigFifo = 1024

func (q *fifo[T]) len() int { return len(q.items) - q.head }

// all gives what is in the queue, oldest first, until the next change.
func (q *fifo[T]) all() []T { return q.items[q.head:] }

func (q *fifo[T]) first() *T { return &q.items[q.head] }

func (q *fifo[T]) push(v T) {
	if len(q.items) == cap(q.items) && q.head > len(q.items)/2 {
		n := copy(q.items, q.items[q.head:])
		clear(q.items[n:])
		q.items, q.head = q.items[:n], 0
	}
	q.items = append(q.items, v)
}

func (q *fifo[T]) pop() (v T) {
	v, q.items[q.head] = q.items[q.head], v
	if q.head++; q.head == len(q.items) {
		q.items, q.head = q.items[:0], 0
		if cap(q.items) > bigFifo {
			q.items = nil
		}
	}
	return v
}

// putBack undoes the last pop.
func (q *fifo[T]) putBack(v T) {
	if q.head == 0 {
		q.items = slices.Insert(q.items, 0, v)
		return
	}
	q.head--
	q.items[q.head] = v
}

// remove takes out the i-th.
func (q *fifo[T]) remove(i int) { q.items = slices.Delete(q.items, q.head+i, q.head+i+1) }

// drop empties the queue and gives what was in it.
func (q *fifo[T]) drop() []T {
	all := q.all()
	*q = fifo[T]{}
	return all
}
