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
package device
