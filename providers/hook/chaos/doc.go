// Package chaos is a provider that stands before a good one and lies in exactly one way: the mutants that the
// conformance suite must catch, each by name. It is the test of the tests, and of use to nobody else.
//
//	p := chaos.New(mem.New(), chaos.DropCompletion)
//
// A mutant is wrong as seldom and as little as the lie allows: it drops one completion of many, it swaps two messages
// only when they follow each other at once. [None] tells the truth, and must pass the suite.
//
// It uses nothing but what package fabric/driver gives to every provider: it puts queues of its own where the
// endpoint's completions go, and forwards what is written there, under the lock of the inner provider's domain.
//
// The calls are safe for concurrent use as those of the inner provider are. The package reads no environment variables.
package chaos
