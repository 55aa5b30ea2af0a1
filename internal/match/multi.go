package match

// Next gives the oldest unexpected message for a multi-receive that was just posted, or nil; the message is the
// caller's, to be delivered and freed, and the receive is held for it as by Arrive. Together:
//
//	r := q.PostMulti(buf, ...)
//	for m := q.Next(r); m != nil; m = q.Next(r) {
//		dst := q.Consume(r, m.Len, minLeft)
//		...
//		released := q.Done(r)
//		q.Free(m)
//	}
//
// Next gives nil once the buffer takes no more, also after it was released.
func (q *Queue) Next(r *Recv) *Msg {
	if !r.posted() || q.first == nil {
		return nil
	}
	m := q.take(r.Src(), r.Tag(), q.classes.of(r).ignore, r.Group())
	if m != nil {
		r.uses++
	}
	return m
}

// Consume cuts the place for a message of n bytes off a receive that was handed out: the next n bytes of a
// multi-receive, the buffer itself of another one. The result is shorter than n when the message does not fit
// (FI_ETRUNC). A multi-receive that has nothing left, or less than minLeft bytes (FI_OPT_MIN_MULTI_RECV), takes no more
// messages from then on. It is called once for each message, in the order of matching; the bytes may come later. It
// does not look at a vector.
//
//fabric:fastpath
func (q *Queue) Consume(r *Recv, n, minLeft int) []byte {
	n = max(min(n, len(r.Buf)), 0)
	dst := r.Buf[:n:n]
	if !r.Multi() {
		return dst
	}
	r.Buf = r.Buf[n:]
	if left := len(r.Buf); (left == 0 || left < minLeft) && r.posted() {
		q.unpost(r)
	}
	return dst
}
