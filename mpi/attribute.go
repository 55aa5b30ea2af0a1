package mpi

import (
	"errors"
	"slices"
	"sync"
)

// Key is under what communicators keep a value of type T for somebody: a library that is given a communicator finds what it
// has stored there (a keyval of MPI_Comm_create_keyval; MPI 4.1, 7.7.2). Each process has its own values.
type Key[T any] struct {
	copy   func(from *Comm, v T) (T, bool, error)
	delete func(c *Comm, v T) error
}

// NewKey makes a key. When a communicator that has a value is duplicated, copy gives what the new one gets, and whether it
// gets any; nil copies nothing (MPI_COMM_NULL_COPY_FN). delete is called when a value is deleted, replaced, or its
// communicator closed; it may be nil. Neither may call Set or Delete with the same communicator. An error of copy ends
// the Dup, one of delete keeps the value.
func NewKey[T any](copy func(from *Comm, v T) (T, bool, error), delete func(c *Comm, v T) error) *Key[T] {
	return &Key[T]{copy, delete}
}

// CopyAttribute is the copy of keys whose values go to duplicates as they are (MPI_COMM_DUP_FN).
func CopyAttribute[T any](_ *Comm, v T) (T, bool, error) { return v, true, nil }

// Set stores a value at a communicator (MPI_Comm_set_attr). One that is there is deleted first.
//
// Errors: ErrComm, ErrClosed; that of the key's delete: the old value stays.
func (k *Key[T]) Set(c *Comm, v T) error {
	const call = "Key.Set"
	if err := c.open(call); err != nil {
		return err
	}
	if err := c.attributes.drop(call, c, k); err != nil {
		return err
	}
	c.attributes.put(&attribute[T]{k, v})
	return nil
}

// Get gives the value at a communicator, and whether there is one (MPI_Comm_get_attr).
func (k *Key[T]) Get(c *Comm) (v T, ok bool) {
	if s, there := c.attributes.find(k); there {
		return s.(*attribute[T]).value, true //nolint:forcetypeassert // the key made it
	}
	return v, false
}

// Delete deletes the value at a communicator, if there is one (MPI_Comm_delete_attr).
//
// Errors: ErrComm, ErrClosed; that of the key's delete: the value stays.
func (k *Key[T]) Delete(c *Comm) error {
	const call = "Key.Delete"
	if err := c.open(call); err != nil {
		return err
	}
	return c.attributes.drop(call, c, k)
}

// attribute is a value with its key.
type attribute[T any] struct {
	of    *Key[T]
	value T
}

type stored interface {
	key() any
	copied(from *Comm) (stored, error) // nil for none
	deleted(c *Comm) error
}

func (a *attribute[T]) key() any { return a.of }

func (a *attribute[T]) copied(from *Comm) (stored, error) {
	if a.of.copy == nil {
		return nil, nil
	}
	v, ok, err := a.of.copy(from, a.value)
	if err != nil || !ok {
		return nil, err
	}
	return &attribute[T]{a.of, v}, nil
}

func (a *attribute[T]) deleted(c *Comm) error {
	if a.of.delete == nil {
		return nil
	}
	return a.of.delete(c, a.value)
}

// attributes are those of a communicator.
type attributes struct {
	mu  sync.Mutex
	all []stored // guarded by mu: in the order in which they were set
}

func (as *attributes) find(key any) (stored, bool) {
	as.mu.Lock()
	defer as.mu.Unlock()
	for _, s := range as.all {
		if s.key() == key {
			return s, true
		}
	}
	return nil, false
}

func (as *attributes) put(s stored) {
	as.mu.Lock()
	defer as.mu.Unlock()
	as.all = append(as.all, s)
}

// drop deletes the value of a key. Nobody holds the lock while the user's function runs.
func (as *attributes) drop(call string, c *Comm, key any) error {
	s, ok := as.find(key)
	if !ok {
		return nil
	}
	if err := s.deleted(c); err != nil {
		return &Error{Op: call, Class: ErrOther, Rank: NoRank, Err: err, Hint: "the key's delete has failed: the value stays"}
	}
	as.mu.Lock()
	defer as.mu.Unlock()
	as.all = slices.DeleteFunc(as.all, func(x stored) bool { return x == s })
	return nil
}

// copyTo gives a duplicate what it gets.
func (as *attributes) copyTo(call string, from, to *Comm) error {
	as.mu.Lock()
	all := slices.Clone(as.all)
	as.mu.Unlock()
	for _, s := range all {
		t, err := s.copied(from)
		if err != nil {
			return &Error{Op: call, Class: ErrOther, Rank: NoRank, Err: err, Hint: "a key's copy has failed"}
		}
		if t != nil {
			to.attributes.put(t)
		}
	}
	return nil
}

// end deletes all when a communicator is closed, the last one first.
func (as *attributes) end(c *Comm) error {
	as.mu.Lock()
	all := as.all
	as.all = nil
	as.mu.Unlock()
	var errs []error
	for _, s := range slices.Backward(all) {
		if err := s.deleted(c); err != nil {
			errs = append(errs, &Error{Op: "Close", Class: ErrOther, Rank: NoRank, Err: err, Hint: "a key's delete has failed"})
		}
	}
	return errors.Join(errs...)
}

// UniverseSize is the number of processes that the launcher has room for (MPI_UNIVERSE_SIZE; MPI 4.1, 11.10.1).
func (c *Comm) UniverseSize() int { return c.job.pmi.UniverseSize() }

// AppNum is the number of the program of the job that this process runs, -1 when the launcher does not say (MPI_APPNUM;
// MPI 4.1, 11.10.3).
func (c *Comm) AppNum() int { return c.job.pmi.AppNum() }

// TagUB is the largest tag, MaxTag (MPI_TAG_UB; MPI 4.1, 9.1.2).
func (c *Comm) TagUB() int { return MaxTag }
