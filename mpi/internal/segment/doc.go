// Package segment does collective operations of members that share memory: all ranks of a communicator on one host. Each
// member has a line of its own in the memory, which says how far it is and carries small data, and areas for larger data.
//
//	s, err := segment.New(mem, members, rank, waiter)
//	t := segment.Task{Kind: segment.Allreduce, In: in, Out: out, Kernel: kernel, Size: 8, Signature: sig}
//	s.Begin(&t)
//	err = t.Run(ctx) // when ctx ends: Run goes on with the same task later
//
// You need it to make collective operations as fast as the memory.
//
// # Steps
//
// An operation has one or several steps, which all members count alike. In a step a member may write to its line or its
// area, publishes the number of the step in its line, waits for some or all others to have published it, and may read what
// they wrote. Lines and areas exist twice, for even and odd steps: whoever publishes a step has done with reading the one
// before, so that what was written two steps ago may be overwritten when all have published the last one.
//
// # Waiting
//
// Who waits looks at the line of the other for a while, then calls the waiter's Idle, which yields, drives whatever else
// there is to drive, and in the end sleeps: see [Segment.Doze]. Publishing wakes who sleeps.
//
// # Signatures
//
// A published step carries the signature of its operation. Who sees another one than its own ends with ErrMismatch and spoils the
// segment, so that nobody waits for what will not come.
//
// A segment is used by one goroutine of a member at a time. What the others write is trusted in its lengths only: all members
// compute them from their own arguments. The package reads no environment variables.
package segment
