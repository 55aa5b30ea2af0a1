// Package collective executes collective operations over tagged messages of the endpoint itself. A provider that can issue
// operations with its lock held gets FI_COLLECTIVE from it:
//
//	if info.Caps&fi.CapCollective != 0 {
//		e.coll = collective.New(eng, e, info, b)
//		ops.Coll = e.coll
//	}
//	...
//	e.coll.Close() // in the endpoint's Close, when its operations have ended
//
// Package internal/coll says what a member has to do: rounds of sends and receives, and what to copy and reduce after
// each. Here each operation is a small state machine that goes on when the last message of a round has ended, driven by
// whoever drives the domain.
//
// # Groups and tags
//
// A member gives each of its groups a number, and joining tells it to the others: a message carries the number that its
// receiver has chosen, so that no two groups of an endpoint can be confused, whoever else is in them, and in whatever order
// they were joined. Beside it the tag carries the number of the operation in its group, and that of the step: nothing
// depends on the order of delivery.
//
//	63   62       61 ... 45   44 ... 24    23 ... 0
//	1    control  group       operation    step
//
// # Members that end
//
// A member that waits for another one for longer than a moment asks whether that is still there: by a message whose
// delivery must be confirmed. Who finds that a member has ended tells all others, and each completes what it has running in
// that group in error, and what is posted later, too.
//
// All state is guarded by the domain's lock. The package reads no environment variables.
package collective
