// Package match is the receive side of an endpoint: it brings messages and posted receives together.
//
// A [Queue] holds what waits on either side: receives for messages, and messages for receives. An endpoint has two, one
// for untagged messages (tag and ignore 0) and one for tagged ones; a shared receive context likewise.
//
//	       Post, PostV ──────┐            ┌────── Arrive, then Keep
//	    (a receive comes)    │            │      (a message comes)
//	                         ▼            ▼
//	           looks among the messages / receives
//	                         │            │
//	             none: waits │            │ none: waits
//	                         ▼            ▼
//	posted receives                         unexpected messages
//
//	classes: exact │ any source │ ...       first ⇄ ⇄ ⇄ ⇄ ⇄ last      in the order of arrival
//	            ↓ key                       index per class, made when searches get long (4 at most)
//	┌──┬──┬──┬──┬──┬──┬──┬──┐               ┌──┬──┬──┬──┬──┬──┬──┬──┐
//	│  │ ●│  │  │ ●│  │  │  │  buckets      │ ●│  │  │  │  │ ●│  │  │
//	└──┴─┼┴──┴──┴─┼┴──┴──┴──┘               └─┼┴──┴──┴──┴──┴─┼┴──┴──┘
//	     ▼        ▼                           ▼              ▼
//	    r3       r1 → r4 → r9                m2 → m7        m1
//	     ↓        equal keys: oldest first
//	    r2        another key of the bucket
//
// A receive matches a message when the peer groups are equal, the receive names the message's source or none, and the
// tags are equal but for the bits that the receive ignores. The receive that was posted first wins, and the message
// that came first.
//
// Receives are of one class when they ignore the same bits and all name a source or all name none. What the class
// leaves of (tag, source, group) is the key under which a hash table finds the oldest receive in constant time, with
// 100,000 others, also of the same key. A message asks each class that has receives, and the age decides between the
// answers. Programs have one to four classes; any number works.
//
// # Use
//
//	// A receive is posted.
//	if m := q.Post(buf, src, tag, ignore, 0, ctx, 0); m != nil {
//		n := copy(buf, m.Payload) // and the completion
//		q.Free(m)
//	}
//
//	// A message has come.
//	r := q.Arrive(src, tag, 0)
//	if r == nil {
//		m := q.Keep(src, tag, 0, payload)
//		m.From = peer
//		return
//	}
//	dst := q.Consume(r, len(payload), minMultiRecv)
//	n, ctx := copy(dst, payload), r.Ctx
//	released := q.Done(r) // and the completion, with FI_MULTI_RECV if released
//
// What is handed out is given back: a receive by Done, a message by Free. In between it stays where it is, so that a
// transfer of a large message may keep the pointer. For multi-receives Done counts those transfers and tells which one
// is the last.
//
// # Memory and concurrency
//
// The queue has no lock: the caller holds that of the domain. Nothing allocates in the steady state; slots and payload
// buffers are used again (up to 4096 of a kind and 1 MiB of buffers; more goes back to the garbage collector).
// [Queue.Bytes] is what a budget for unexpected messages counts. The queue holds no buffer or context of the
// application once the receive is Done. It reads no environment variables.
package match
