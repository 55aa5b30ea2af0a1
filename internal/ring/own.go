package ring

// ownAhead is how many lines before its turn a line is fetched for writing. The consumer has read it a lap ago, so the
// first store to it waits until the other core gives it up, and later stores wait behind it: where cores share no cache, a
// stream of small messages spent 40 % of the sender's time so. Fetched ahead, several are under way at once.
const ownAhead = 12

// ownAfter is how many messages in a row are no stream yet. In an exchange of single messages nothing waits behind a store, and
// fetching costs more than it brings (15 of 450 ns).
const ownAfter = 1

// ownNext is called with the position behind a message that was just written.
//
//fabric:fastpath
func (t *Tx) ownNext(p uint32) {
	if t.run++; t.run > ownAfter && p%2 == 0 {
		ownPair(&t.lines[(p+ownAhead)%Lines])
	}
}

// Heard tells that the other side has sent something: what comes next is an answer, or the beginning of a new stream.
//
//fabric:fastpath
func (t *Tx) Heard() { t.run = 0 }
