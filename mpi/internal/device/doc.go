// Package device is what package mpi stands on: one endpoint of a member of a job, and operations on it by rank and tag.
// It knows nothing of communicators, element types or collectives.
//
//	d, err := device.Open(ctx, device.Config{Rank: rank, Size: size, Exchange: exchange})
//	op := device.NewOp()
//	err = d.Recv(op, buf, 1, tag, 0)
//	err = d.Wait(ctx, op)
//
// # Progress
//
// Whoever waits looks at the completion queue himself, one goroutine at a time, and finishes whatever has completed, his
// own operation or another's. After some milliseconds he sleeps, and the device's own goroutine waits for
// completions in his place; it also does so while something goes on that nobody waits for (see [Device.Watch]).
//
// # Order
//
// Messages from one member to another are matched in the order in which they were sent, whatever their sizes. What the
// endpoint has no room for waits in a line of its own for each peer, so that posting never blocks.
//
// # Failures
//
// Who waits for long asks whether his peer lives, and what is found is told to all others ([Device.Ask]). An operation that
// cannot end any more is withdrawn by who waits for it ([Device.Doubt]), with a [FailedError] or [ErrRevoked]. Who is
// concerned by a failure says a [Scope]: the members of a context, who can agree on something while some of them die.
// Control messages ([Device.Tell], [Device.Handle]) carry all that, and what others may have to say.
package device
