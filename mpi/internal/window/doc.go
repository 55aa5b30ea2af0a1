// Package window is remote memory access between the members of a communicator, in bytes: windows of package mpi without
// element types.
//
//	w, err := window.Open(ctx, &window.Config{Device: d, ID: id, Rank: rank, World: ranks, Unit: 8, Size: n, ...})
//	err = w.Lock(ctx, 1, window.Exclusive, 0)
//	err = w.Put(buf, 1, 0) // 0 counts units
//	err = w.Unlock(ctx, 1)
//
// # Roads
//
// Memory that the provider can map ([fabric.Endpoint.Map]) is accessed by loads, stores and the processor's atomics; all
// other memory by the fabric's reads, writes and atomics. What is not mapped completes by being counted: each target
// has a number of accesses under way, and a flush waits until it is 0.
//
// # Atomicity
//
// Elements that lie at a multiple of their size, in a width that the processor has, are updated by the processor's atomics,
// whoever does it: a member that has mapped the memory, its owner, or the target's provider. Other elements are updated by
// the target's provider alone, also for the owner. So one location never has two kinds of atomics.
//
// # Control
//
// Each member has a control block beside its data, which all others reach: the lock's word and, in dynamic windows, the table
// of what is attached. What peers write there is checked before it is used. Waiting is done by messages in the space
// device.Remote of the window's context.
//
// All methods may be called by any goroutine; an epoch belongs to the member, not to the goroutine that opened it. The package
// reads no environment variables.
package window
