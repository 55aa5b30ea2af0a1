package coll

import "fmt"

// Vector has the counts of operations whose blocks differ, in elements, and the neighbours of neighbourhood exchanges. Not
// to be changed while schedules are made from it. Blocks are buffers of their own ([InBlock], [OutBlock]), so that they may
// lie anywhere. A block of another type is given in bytes, with an Args.Size of 1 (MPI_Alltoallw).
type Vector struct {
	// Send: what this member sends. Scatterv: at the root, for each member. Alltoallv: for each member; in place nil, or the
	// same as Recv. NeighborAlltoall: for each of Dests. Of others it is Args.Count, and this is nil.
	Send []int
	// Recv: what this member receives. Gatherv: at the root, of each member. Allgatherv and ReduceScatterv: each member's
	// block, the same at all members; Args.Count is this member's. Alltoallv: of each member. Neighbourhood exchanges: of
	// each of Sources. Of others it is Args.Count, and this is nil.
	Recv []int
	// Sources and Dests are ranks, for neighbourhood exchanges only. A rank may be there several times, and may be the
	// member's own: its first message to a destination goes to the first place where that names it as a source, and so on.
	// (In a periodic dimension of one or two members, what is sent downwards must come in from above, MPI 4.1, 8.6: list
	// destinations as below, above, and sources as above, below.)
	Sources, Dests []int
}

// InBlock is the buffer that holds what goes to member i, or to destination i, in operations that have a block for each.
func InBlock(i int) Buf { return blocksFrom + Buf(2*i) }

// OutBlock is the buffer for what comes from member i, or from source i.
func OutBlock(i int) Buf { return blocksFrom + Buf(2*i+1) }

func (c Coll) neighbors() bool { return c == NeighborAllgather || c == NeighborAlltoall }

func total(counts []int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

func (v *Vector) check(a *Args) error {
	send, recv := 0, 0 // how many counts there must be
	root := a.Rank == a.Root
	switch a.Coll {
	case Gatherv:
		if root {
			recv = a.Members
		}
	case Scatterv:
		if root {
			send = a.Members
		}
	case Allgatherv, ReduceScatterv:
		recv = a.Members
	case Alltoallv:
		send, recv = a.Members, a.Members
		if a.InPlace && v.Send == nil {
			send = 0
		}
	case NeighborAllgather:
		recv = len(v.Sources)
	case NeighborAlltoall:
		send, recv = len(v.Dests), len(v.Sources)
	}
	if !a.Coll.neighbors() && len(v.Sources)+len(v.Dests) > 0 {
		return fmt.Errorf("coll: %v has no neighbours, %d sources and %d destinations are given", a.Coll, len(v.Sources), len(v.Dests))
	}
	if len(v.Send) != send || len(v.Recv) != recv {
		return fmt.Errorf("coll: %v of %d members at rank %d: %d counts to send and %d to receive are given, %d and %d are needed",
			a.Coll, a.Members, a.Rank, len(v.Send), len(v.Recv), send, recv)
	}
	for _, counts := range [2][]int{v.Send, v.Recv} {
		sum := 0
		for i, c := range counts {
			if c < 0 || c > maxBytes/a.Size-sum {
				return fmt.Errorf("coll: %v: count %d is %d: not negative, and at most %d bytes in all", a.Coll, i, c, maxBytes)
			}
			sum += c
		}
	}
	switch {
	case (a.Coll == Allgatherv || a.Coll == ReduceScatterv) && a.Count != v.Recv[a.Rank]:
		return fmt.Errorf("coll: %v: Count of rank %d is %d, its place in Recv says %d", a.Coll, a.Rank, a.Count, v.Recv[a.Rank])
	case a.Coll == Gatherv && root && a.Count != v.Recv[a.Rank], a.Coll == Scatterv && root && a.Count != v.Send[a.Rank]:
		return fmt.Errorf("coll: %v: the root gives its own block as %d elements, its place in the counts says otherwise", a.Coll, a.Count)
	case a.Coll == Alltoallv && len(v.Send) > 0 && v.Send[a.Rank] != v.Recv[a.Rank]:
		return fmt.Errorf("coll: %v: rank %d sends %d elements to itself and receives %d", a.Coll, a.Rank, v.Send[a.Rank], v.Recv[a.Rank])
	case a.Coll.neighbors():
		return v.checkNeighbors(a)
	}
	if a.InPlace {
		for i, c := range v.Send {
			if a.Coll == Alltoallv && c != v.Recv[i] {
				return fmt.Errorf("coll: %v in place: %d elements to member %d, %d from it: they must be as many", a.Coll, c, i, v.Recv[i])
			}
		}
	}
	return nil
}

func (v *Vector) checkNeighbors(a *Args) error {
	for _, ranks := range [2][]int{v.Sources, v.Dests} {
		seen := make(map[int]int)
		for _, r := range ranks {
			if r < 0 || r >= a.Members {
				return fmt.Errorf("coll: %v: neighbour %d of %d members", a.Coll, r, a.Members)
			}
			if seen[r]++; seen[r] > MaxTag/a.Members {
				return fmt.Errorf("coll: %v: neighbour %d more than %d times: put its messages together", a.Coll, r, MaxTag/a.Members)
			}
		}
	}
	from, to := v.own(a.Rank)
	if len(from) != len(to) {
		return fmt.Errorf("coll: %v: rank %d is %d of its own sources and %d of its own destinations: as many of both are needed",
			a.Coll, a.Rank, len(from), len(to))
	}
	for i := range from {
		n := a.Count
		if a.Coll == NeighborAlltoall {
			n = v.Send[to[i]]
		}
		if n != v.Recv[from[i]] {
			return fmt.Errorf("coll: %v: rank %d sends %d elements to itself and receives %d", a.Coll, a.Rank, n, v.Recv[from[i]])
		}
	}
	return nil
}

// own finds the places where a member is its own source and its own destination.
func (v *Vector) own(rank int) (from, to []int) {
	for i, r := range v.Sources {
		if r == rank {
			from = append(from, i)
		}
	}
	for i, r := range v.Dests {
		if r == rank {
			to = append(to, i)
		}
	}
	return from, to
}
