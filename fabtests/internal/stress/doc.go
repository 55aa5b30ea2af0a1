// Package stress runs random operations between random endpoints of several processes and verifies all of them.
//
// A run is a row of rounds, each with a plan that follows from the seed and the number of the round alone, so that all
// ranks know it without a word and the same two numbers give it again. A round opens everything anew, runs some phases of
// operations, and closes everything. Ranks meet over a connection beside the fabric, where one that finds a fault also
// says so: the others then add what they know of the same step.
//
//	plan := newPlan(choice, round) // the same at every rank
//	n := open(plan, rank)          // endpoints, queues, …
//	n.phase(0)                     // post, complete, verify
//
// What is verified: every byte that a receive or a read brings and that a write leaves, the length, tag, data, source and
// kind of each completion, one completion for each accepted operation, counters against completions, the sums of
// atomics, and that a round leaves no memory, descriptor, mapping or goroutine behind.
//
// It uses nothing but the public API. One rank is run by one goroutine, which starts the threads of the plan.
package stress
