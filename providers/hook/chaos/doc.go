// Package chaos is a provider that stands before a good one and lies in exactly one way. It is a library for tests: of
// programs, which shall notice when a fabric misbehaves, and of the conformance suite, which must catch every one of its
// mutants by name.
//
//	p := chaos.New(mem.New(), chaos.DropCompletion)
//	infos, err := fabric.GetInfo(ctx, hints, fabric.WithRegistry(fabric.NewRegistry(p)))
//
// A [Mutant] is wrong as seldom and as little as the lie allows: it drops one completion of many, it swaps two messages
// only when they follow each other at once. [None] tells the truth, and must pass the suite. [Mutants] lists the lies,
// [Find] gives one by its name, [Mutant.Lie] says in words what it does.
//
// What programs ask of it most: does mine hang, or does it say so, when a completion does not come (DropCompletion), comes
// twice (CompleteTwice), is of another operation (WrongContext), or when errors are lost (LoseErrors)? Does it rely on an
// order that it has not asked for (Reorder, SwapTagged)? Does it use a buffer that it has given away (InjectKeepsBuffer,
// DataLate)? Does it wake up when a bell is lost (LoseWakeups), and notice that a peer has gone without a word
// (SilentShutdown)? Lies that reach into a peer's memory need both sides in one process; all others work before any
// provider.
//
// It uses nothing but what package fabric/driver gives to every provider: it puts queues of its own where the
// endpoint's completions go, and forwards what is written there, under the lock of the inner provider's domain. Hooks that
// only watch are made of package wrap.
//
// The calls are safe for concurrent use as those of the inner provider are. The package reads no environment variables,
// and is no choice for FI_HOOK.
package chaos
