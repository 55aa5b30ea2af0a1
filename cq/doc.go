// Package cq holds what completion queues and counters are made of: the entries that applications read, and the queue
// and counter that providers write.
//
// Applications meet [Entry] and [ErrEntry], which they hand to fabric.CQ's methods. Those who write a provider get a
// [Queue] or a [Counter] with an endpoint's bindings and write to them under the domain's lock.
//
//	var done [16]cq.Entry
//	n, err := queue.Read(done[:]) // queue is a *fabric.CQ
//	for _, e := range done[:n] {
//		fmt.Println(e.Flags, e.Len, e.Context)
//	}
//
// A Queue never loses an entry: operations that are posted with a completion reserve their place when they are posted,
// and what cannot be reserved (receives) makes the queue grow. The package does not wait, does not log and reads no
// environment variables.
package cq
