package window

// The control block of a member, which the others reach:
//
//	 0  the lock's word, see lock.go
//	 8  who sleeps at the head of its queue: rank + 1
//	64  in dynamic windows the table of what is attached, see dynamic.go
//
// The data of an allocated window follow behind controlBytes, so that they begin at a cache line of their own.
const (
	lockAt = 0
	headAt = 8

	controlBytes = 256
)

func (w *Window) controlSize() int {
	if w.c.Flavor == Dynamic {
		return controlBytes + tableBytes
	}
	return controlBytes
}
