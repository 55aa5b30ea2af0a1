// Package wrap is what hooks are made of: a provider that stands before another one, hands every call on unchanged, and
// tells an [Observer] what passes.
//
//	type counter struct{ wrap.Nothing; posted atomic.Int64 }
//
//	func (c *counter) Posting(*wrap.Op) { c.posted.Add(1) }
//
//	p := wrap.New(mem.New(), "counter", &counter{})
//
// The wrapper has the inner provider's name and its optional abilities, no more and no fewer (driver.Ability). What it
// changes nobody can see: it hands operations on with contexts of its own, so that it knows to which operation a
// completion belongs, and gives the application's back; and it has the inner provider report every completion, also
// those that the application did not ask for, which go no further.
//
// What does not reach a provider does not pass here: reading queues, counters and address vectors is package fabric's
// own work. Completions pass when the provider writes them. The peeks, claims and discards of FI_PEEK, and sends with
// FI_INJECT that report nothing, complete without a word.
//
// # Concurrency
//
// Calls of an Observer come from whichever goroutine calls, several at a time. Completed is called with the domain's
// lock held, all others without any. Who has something to write then leaves it to [Later].
//
// The package reads no environment variables.
package wrap
