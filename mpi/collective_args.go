package mpi

import (
	"fmt"

	"github.com/gofabric/gofabric/internal/coll"
	"github.com/gofabric/gofabric/mpi/internal/element"
)

// The description of calls: what both sides of a buffer have in common, and what is wrong.

// describe begins a call on elements of a type.
func describe[T any](c *Comm, call string, f form, what coll.Coll) (collective, *element.Info) {
	k := collective{call: call, form: f}
	k.args.Coll = what
	e, err := element.Of[T]()
	if err != nil {
		k.err = &Error{Op: call, Class: ErrType, Rank: NoRank, Err: err}
		return k, nil
	}
	k.args.Size, k.kind = e.Size, e.Hash
	if c == nil {
		k.err = bad(call, ErrComm, NoRank, "the communicator is nil")
	}
	return k, e
}

// wrong keeps the first thing that is wrong.
func (k *collective) wrong(class Class, format string, args ...any) {
	if k.err == nil {
		k.err = bad(k.call, class, NoRank, fmt.Sprintf(format, args...))
	}
}

// root sets the root.
func (k *collective) root(c *Comm, root int) {
	k.args.Root = root
	if k.err == nil && (root < 0 || root >= c.size) {
		k.args.Root = 0
		k.wrong(ErrRoot, "root %d: there are 0 to %d", root, c.size-1)
	}
}

// reduces sets the operation.
func (k *collective) reduces(o Op, e *element.Info) {
	k.num = o.num
	if k.err != nil {
		return
	}
	k.kernel, k.err = o.kernel(k.call, e)
	k.args.InRankOrder = !o.Commutes()
}

// buffers sets the memory. Where both are used they must not be the same.
func (k *collective) buffers(in, out []byte) {
	k.in, k.out = in, out
	if len(in) > 0 && len(out) > 0 && &in[0] == &out[0] {
		k.wrong(ErrBuffer, "what is sent lies where the result goes: give nil instead of it to send from there (in place)")
	}
}

// share is a member's part of n elements.
func (k *collective) share(c *Comm, what string, n int) int {
	if k.err == nil && n%c.size != 0 {
		k.wrong(ErrCount, "%s has %d elements, which cannot be divided among %d members: give a multiple", what, n, c.size)
	}
	if k.err != nil {
		return 0
	}
	return n / c.size
}
