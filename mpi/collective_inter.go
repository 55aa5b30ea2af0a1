package mpi

import (
	"context"

	"github.com/gofabric/gofabric/internal/coll"
	"github.com/gofabric/gofabric/mpi/internal/element"
)

// Collective operations of intercommunicators go from one group to the other (MPI 4.1, 6.2.3). Their descriptions are those
// of neighbourhood exchanges on the communicator of both groups, so that all forms of a call work.

// across tells whether a call is on an intercommunicator, and if so makes it an exchange.
func (k *collective) across(c *Comm, what coll.Coll) bool {
	if k.err != nil || c.inter == nil {
		return false
	}
	k.on = c.inter.all
	k.args.Coll, k.args.Root, k.args.Vector = what, 0, &coll.Vector{}
	return true
}

// others are the members of the other group, by their ranks in both.
func (c *Comm) others() []int {
	ranks := make([]int, len(c.peers))
	for i := range ranks {
		ranks[i] = c.inter.other + i
	}
	return ranks
}

// role says what a root stands for: the member itself, nobody in its group, or one of the other group.
func (k *collective) role(c *Comm, root int) (isRoot, sends bool) {
	switch {
	case root == Root:
		return true, false
	case root == ProcNull:
		return false, false
	case root < 0 || root >= len(c.peers):
		k.wrong(ErrRoot, "root %d: in the group of the root it gives Root and others ProcNull, in the other group all give one of 0 to %d", root, len(c.peers)-1)
		return false, false
	}
	return false, true
}

// from says that a block comes from a member of the other group.
func (k *collective) from(c *Comm, rank int, block []byte) {
	v := k.args.Vector
	v.Sources = append(v.Sources, c.inter.other+rank)
	v.Recv = append(v.Recv, len(block)/k.args.Size)
	k.outs = append(k.outs, block)
}

// to says that a block goes to a member of the other group.
func (k *collective) to(c *Comm, rank int, block []byte) {
	v := k.args.Vector
	v.Dests = append(v.Dests, c.inter.other+rank)
	v.Send = append(v.Send, len(block)/k.args.Size)
	k.ins = append(k.ins, block)
}

// toAll says that one block goes to members of the other group.
func (k *collective) toAll(dests []int, block []byte) {
	k.args.Vector.Dests, k.args.Count, k.in = dests, len(block)/k.args.Size, block
}

// part is block i of n of equal length.
func part[T any](s []T, i, n int) []byte { return element.Bytes(s[i*(len(s)/n) : (i+1)*(len(s)/n)]) }

// parts checks that elements can be divided among the other group.
func (k *collective) parts(c *Comm, what string, n int) bool {
	if n%len(c.peers) != 0 {
		k.wrong(ErrCount, "%s has %d elements, which cannot be divided among %d members of the other group: give a multiple", what, n, len(c.peers))
	}
	return k.err == nil
}

func bcastAcross[T any](k *collective, c *Comm, buf []T, root int) {
	switch isRoot, receives := k.role(c, root); {
	case isRoot:
		k.toAll(c.others(), element.Bytes(buf))
	case receives:
		k.from(c, root, element.Bytes(buf))
	}
}

func gatherAcross[T any](k *collective, c *Comm, send, recv []T, root int) {
	switch isRoot, sends := k.role(c, root); {
	case isRoot && k.parts(c, "recv", len(recv)):
		for i := range c.peers {
			k.from(c, i, part(recv, i, len(c.peers)))
		}
	case sends:
		k.toAll([]int{c.inter.other + root}, element.Bytes(send))
	}
}

func scatterAcross[T any](k *collective, c *Comm, send, recv []T, root int) {
	switch isRoot, receives := k.role(c, root); {
	case isRoot && k.parts(c, "send", len(send)):
		for i := range c.peers {
			k.to(c, i, part(send, i, len(c.peers)))
		}
	case receives:
		k.from(c, root, element.Bytes(recv))
	}
}

// perPeer checks that there is a slice for each member of the other group.
func perPeer[T any](k *collective, c *Comm, what string, s [][]T) bool {
	if len(s) != len(c.peers) {
		k.wrong(ErrCount, "%s has %d slices for %d members of the other group", what, len(s), len(c.peers))
	}
	return k.err == nil
}

func gathervAcross[T any](k *collective, c *Comm, send []T, recv [][]T, root int) {
	switch isRoot, sends := k.role(c, root); {
	case isRoot && perPeer(k, c, "recv", recv):
		for i, s := range recv {
			k.from(c, i, element.Bytes(s))
		}
	case sends:
		k.toAll([]int{c.inter.other + root}, element.Bytes(send))
	}
}

func scattervAcross[T any](k *collective, c *Comm, send [][]T, recv []T, root int) {
	switch isRoot, receives := k.role(c, root); {
	case isRoot && perPeer(k, c, "send", send):
		for i, s := range send {
			k.to(c, i, element.Bytes(s))
		}
	case receives:
		k.from(c, root, element.Bytes(recv))
	}
}

// given refuses what is in place: there is no place for it between two groups.
func (k *collective) given(there bool) bool {
	if !there {
		k.wrong(ErrBuffer, "send is nil: an intercommunicator has no operations in place")
	}
	return k.err == nil
}

func allgatherAcross[T any](k *collective, c *Comm, send, recv []T) {
	if k.given(send != nil || len(recv) == 0) && k.parts(c, "recv", len(recv)) {
		k.toAll(c.others(), element.Bytes(send))
		for i := range c.peers {
			k.from(c, i, part(recv, i, len(c.peers)))
		}
	}
}

func allgathervAcross[T any](k *collective, c *Comm, send []T, recv [][]T) {
	if perPeer(k, c, "recv", recv) {
		k.toAll(c.others(), element.Bytes(send))
		for i, s := range recv {
			k.from(c, i, element.Bytes(s))
		}
	}
}

func alltoallAcross[T any](k *collective, c *Comm, send, recv []T) {
	if k.given(send != nil || len(recv) == 0) && k.parts(c, "send", len(send)) && k.parts(c, "recv", len(recv)) {
		for i := range c.peers {
			k.to(c, i, part(send, i, len(c.peers)))
			k.from(c, i, part(recv, i, len(c.peers)))
		}
	}
}

func alltoallvAcross[T any](k *collective, c *Comm, send, recv [][]T) {
	if k.given(send != nil) && perPeer(k, c, "send", send) && perPeer(k, c, "recv", recv) {
		for i := range c.peers {
			k.to(c, i, element.Bytes(send[i]))
			k.from(c, i, element.Bytes(recv[i]))
		}
	}
}

// within refuses what an intercommunicator does not have.
func (k *collective) within(c *Comm, why string) {
	if k.err == nil && c.inter != nil {
		k.wrong(ErrComm, "an intercommunicator %s", why)
	}
}

// total reduces what one's own group gives at its first member; nil elsewhere.
func total[T any](ctx context.Context, c *Comm, call string, send []T, op Op) ([]T, error) {
	if err := c.usable(call); err != nil {
		return nil, err
	}
	if send == nil { // nothing: there is no operation in place
		send = []T{}
	}
	var sum []T
	if c.rank == 0 {
		sum = make([]T, len(send))
	}
	k := reduceTo(c.inter.local, call, blocking, send, sum, op, 0)
	return sum, c.inter.local.do(ctx, &k)
}

// reduceAcross gives the root what the other group's elements come to.
func reduceAcross[T any](ctx context.Context, c *Comm, send, recv []T, op Op, root int) error {
	k, e := describe[T](c, "Reduce", blocking, coll.Reduce)
	k.across(c, coll.NeighborAllgather)
	isRoot, sends := k.role(c, root)
	k.reduces(op, e)
	if k.err != nil {
		return c.do(ctx, &k)
	}
	var sum []T
	if sends {
		var err error
		if sum, err = total(ctx, c, "Reduce", send, op); err != nil {
			return err
		}
	}
	switch {
	case isRoot:
		k.from(c, 0, element.Bytes(recv))
	case sends && c.rank == 0:
		k.toAll([]int{c.inter.other + root}, element.Bytes(sum))
	}
	return c.do(ctx, &k)
}

// allreduceAcross gives all members what the other group's elements come to.
func allreduceAcross[T any](ctx context.Context, c *Comm, send, recv []T, op Op) error {
	sum, err := total(ctx, c, "Allreduce", send, op)
	if err != nil {
		return err
	}
	k, _ := describe[T](c, "Allreduce", blocking, coll.Allreduce)
	if k.across(c, coll.NeighborAllgather) {
		if c.rank == 0 {
			k.toAll(c.others(), element.Bytes(sum))
		}
		k.from(c, 0, element.Bytes(recv))
	}
	return c.do(ctx, &k)
}

// reduceScatterAcross hands out what the other group's elements come to; counts are those of the members, nil for equal parts.
func reduceScatterAcross[T any](ctx context.Context, c *Comm, call string, send, recv []T, counts []int, op Op) error {
	if counts == nil {
		counts = make([]int, c.size)
		for i := range counts {
			counts[i] = len(recv)
		}
	}
	k, _ := describe[T](c, call, blocking, coll.ReduceScatter)
	if k.err == nil {
		k.counts(c, counts)
	}
	if k.err != nil {
		return c.inter.all.do(ctx, &k) // the others learn of it
	}
	all := make([]uint64, len(c.peers)) // how much goes to whom only the other group knows
	mine := []uint64{uint64(counts[c.rank])}
	if err := Allgather(ctx, c, mine, all); err != nil {
		return err
	}
	sum, err := total(ctx, c, call, send, op)
	if err != nil {
		return err
	}
	k.across(c, coll.NeighborAlltoall)
	if c.rank == 0 {
		for i, n := range all {
			if n > uint64(len(sum)) {
				k.wrong(ErrCount, "the other group expects more than the %d elements that this one has", len(send))
				break
			}
			k.to(c, i, element.Bytes(sum[:n]))
			sum = sum[n:]
		}
	}
	k.from(c, 0, element.Bytes(recv))
	return c.do(ctx, &k)
}
