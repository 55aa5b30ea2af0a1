// Package rank is the program of jobs in tests of launchers: a process that joins by package pmi and then does, word by
// word, what a role says.
//
// [Play] is called by a test's program, in place of its tests; [Gone] watches what jobs leave. Play reads PMI_RANK and what pmi.Join reads. It is for one
// goroutine.
package rank
