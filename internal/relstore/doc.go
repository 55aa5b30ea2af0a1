// Package relstore stores words that other goroutines or processes look at without a lock.
//
// Go's atomic.Store is a full fence on amd64 (6 ns), twice the price of everything else in a completion; a plain store
// has release order there, and that is all that a reader who merely looks needs. So it is a plain store on amd64, an
// atomic one elsewhere (a single STLR on arm64) and under the race detector. The reader uses sync/atomic as ever.
//
// It does not order the store before a later load: whoever needs that (a sleeper that looks once more) uses sync/atomic
// or membarrier.
package relstore
