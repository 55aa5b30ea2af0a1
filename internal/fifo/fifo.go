package fifo

import "slices"

// Queue is a queue that allocates nothing once it has been as long as it gets.
type Queue[T any] struct {
	items []T
	head  int
}

// keptCap is the capacity above which an empty queue gives its memory back.
const keptCap = 1024

// Len is how many there are.
func (q *Queue[T]) Len() int { return len(q.items) - q.head }

// All gives what is in the queue, oldest first, until the next change.
func (q *Queue[T]) All() []T { return q.items[q.head:] }

// First is the oldest; the queue must not be empty.
func (q *Queue[T]) First() *T { return &q.items[q.head] }

// Last is the youngest; the queue must not be empty.
func (q *Queue[T]) Last() *T { return &q.items[len(q.items)-1] }

// Push puts one behind the others.
func (q *Queue[T]) Push(v T) {
	if len(q.items) == cap(q.items) && q.head > len(q.items)/2 {
		n := copy(q.items, q.items[q.head:])
		clear(q.items[n:])
		q.items, q.head = q.items[:n], 0
	}
	q.items = append(q.items, v)
}

// Pop takes the oldest out; the queue must not be empty.
func (q *Queue[T]) Pop() (v T) {
	v, q.items[q.head] = q.items[q.head], v
	if q.head++; q.head == len(q.items) {
		q.items, q.head = q.items[:0], 0
		if cap(q.items) > keptCap {
			q.items = nil
		}
	}
	return v
}

// PutBack undoes the last pop.
func (q *Queue[T]) PutBack(v T) {
	if q.head == 0 {
		q.items = slices.Insert(q.items, 0, v)
		return
	}
	q.head--
	q.items[q.head] = v
}

// Remove takes out the i-th.
func (q *Queue[T]) Remove(i int) { q.items = slices.Delete(q.items, q.head+i, q.head+i+1) }

// Drop empties the queue and gives what was in it.
func (q *Queue[T]) Drop() []T {
	all := q.All()
	*q = Queue[T]{}
	return all
}
