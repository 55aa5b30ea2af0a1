// Package ring is the memory of one connected pair of processes: 64 KiB with a page of control words and two
// single-producer single-consumer rings, one in each direction.
//
// It is pure memory: no system call, no goroutine, no operating system. Who maps the memory, who sleeps and who wakes
// whom is decided above.
//
// A message is one 64-byte line with up to 40 bytes of payload, published by one 8-byte store. Up to 64 bytes lie in the
// line after, up to [MaxPayload] in a byte area beside the lines. layout.go has the picture.
//
//	p, err := ring.Layout(mem, ring.Config{Side: ring.Maker})
//	if b := p.Tx.Reserve(len(msg)); b != nil { // nil: full
//		copy(b, msg)
//		p.Tx.Commit(op, aux, tag, data)
//	}
//	for {
//		op, aux, tag, data, payload, status := p.Rx.Next()
//		if status != ring.Message {
//			break // Empty, or Broken: close the connection
//		}
//		use(op, aux, tag, data, payload) // payload lies in shared memory
//		p.Rx.Advance()
//	}
//
// Concurrency: a [Tx] and an [Rx] are each used by one goroutine at a time; two ends of one ring need no lock between
// them. [Rx.Ready] may be called by anybody at any time.
//
// Trust: the peer can write every byte of the pair at any moment. What this package reads from it is read once, checked
// and then used; a malformed line gives [Broken], an implausible head is ignored. Nothing that a peer writes makes a call
// panic, loop or hand out a slice outside the pair. The bytes of a payload stay in the peer's reach: whoever interprets
// them copies them first.
package ring
