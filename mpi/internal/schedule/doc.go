// Package schedule executes the schedules of package coll over a device: a machine that goes from round to round by the
// completions of its messages, whoever drives the device. So a collective operation that blocks, one that goes on in the
// background and one that is started again and again are the same, waited for in different ways.
//
//	r := schedule.New(dev)
//	r.Task = schedule.Task{Schedule: s, World: nil, Tag: tag, Data: signature, Kernel: kernel, In: in, Out: out}
//	r.Start()
//	err := dev.Wait(ctx, &r.Op) // and then r.Op.Err
//
// You need it to build collective operations of members that a device reaches.
//
// # Signatures
//
// All messages of an operation carry its signature. A message with another one, or of another length than the schedule says,
// shows that the members do not call the same thing: the operation ends with a [*MismatchError].
//
// # Memory
//
// The buffers of a task belong to the run until Op is over. A run that ended with an error may still send from them, and is
// not to be used again; one that ended well may be started again, and allocates nothing then.
//
// Start and the methods are for one goroutine at a time. The package reads no environment variables.
package schedule
