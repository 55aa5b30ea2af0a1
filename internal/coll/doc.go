// Package coll makes the schedules of collective operations: who sends what to whom, in which order, and what is reduced
// or copied in between. It knows no endpoint: a schedule is data, and whoever executes it decides whether that blocks, goes
// on in the background, or is done again and again.
//
//	s, err := coll.DefaultTable.Make(coll.Args{Coll: coll.Allreduce, Members: 5, Rank: 2, Count: 1000, Size: 8})
//	for _, round := range s.Rounds {
//		// post all of round.Comm, wait until all have completed, then do round.Local in order
//	}
//
// You need it to build collectives over messages: package fabric/driver/collective does, and so does a layer that has
// other messages than an endpoint's.
//
// # Rounds
//
// The communications of a round are independent of each other: they touch different memory and may complete in any order.
// The local steps of a round come after all of them, in order. A member goes through its rounds at its own speed; whatever
// the order of delivery, no member waits for ever, as long as a send may be posted before its receive is.
//
// Within one schedule a member never receives two messages with the same tag: an executor that puts the number of the
// operation beside the tag needs neither ordered delivery nor the name of the sender.
//
// # Reductions
//
// Every member gets the same bits: each element is reduced along one tree only, or the operands of both sides of an
// exchange are taken in the order of their ranks. An operation that is not associative is executed one by one in the order
// of ranks ([Args.Ordered]); one that is associative and not commutative keeps the order of ranks by algorithms that need
// no more messages than others ([Args.InRankOrder]).
//
// # Memory
//
// A schedule names memory by buffers: what a member contributes, the result, scratch memory, and of operations whose blocks
// differ one for each block ([Vector]). What is contributed is never written to, unless the operation is in place
// ([Args.InPlace]).
//
// # Tables
//
// Which algorithm serves is the matter of a [Table], which may come from a text ([ParseTable]). All members must use the
// same one, and give alike whatever [Args] do not call their own: nothing here finds out that they do not, and with
// different counts members may wait for each other. [Schedule.Bytes] tells how much a member sends.
//
// Schedules are not changed once they are made and may be shared by goroutines. The package reads no environment variables
// and has no state.
package coll
