// Package wire is the language of the tcp provider: every header that travels on a connection, written and read.
//
// It is pure code on byte slices, without sockets and without state beyond a byte order and a counter. What it reads is
// checked before it is handed out: lengths, counts, header sizes, operations and flags that the connection has not agreed
// on. What it cannot check is the provider's: that an answer was asked for, that a key is known, that a read brought as
// many bytes as it should.
//
// # Parts
//
//	control.go         the handshake of MSG and RDM endpoints (connect request, response, reject)
//	rdm.go             the record that RDM endpoints exchange in it
//	header.go          the headers of the data stream: operations, flags, fields
//	decode.go          reads them
//	encode.go          writes them
//	trace.go           shows a header in one line
//	offer.go, ext*.go  the extension between two endpoints of ours; docs/wire/tcp-extension.md describes it
//
// # Decoders
//
// They get what has arrived and return n and an error. n > 0 is how many bytes the value took; n < 0 says that at least
// -n more bytes are needed, and that nothing was wrong with those that are there. The error is an *[Error]: it names
// the message, the field and its value, and ends the connection. Nothing is allocated except for an error.
//
// # Encoders
//
// They write in place, into a slice that has room, or append; they return how many bytes were written. They trust their
// caller: a field out of range, or a slice that is too short, is a mistake in the program.
//
// # Concurrency
//
// A Decoder and an Encoder belong to one connection and are used under its lock.
package wire
