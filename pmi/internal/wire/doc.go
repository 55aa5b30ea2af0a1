// Package wire reads and writes the lines of PMI-1 and the frames of PMI-2, the protocols between the processes of a job
// and the launcher that started them.
//
// Package pmi speaks them as a client, package pmi/server as the launcher's side. Both sides distrust what they read: a
// line or a frame has a greatest length, and bytes that are not in the grammar are an error.
//
// A [Message] is a value. A [Reader] is for one goroutine at a time.
package wire
