package window

// LockWord is the word of one's own lock.
func LockWord(w *Window) uint64 { return word(w.control, lockAt).Load() }

// Last is who is last in its queue; -1 for nobody.
func Last(w *Window) int { return tailOf(LockWord(w)) }

// HeadSleeps tells whether the first one sleeps.
func HeadSleeps(w *Window) bool { return LockWord(w)&headSleeps != 0 }

// SetFence begins an epoch as Fence does, without the others.
func (w *Window) SetFence() { w.fence.Store(fenceOpen) }
