// Package lock is the lock of a domain: none, a spin lock, or one that belongs to its owner.
//
// The data path of a domain is entered by the application, for every operation, and by the domain's progress goroutine,
// which does nothing while the application polls. The kind is chosen once, when the domain is opened:
//
//	FI_THREAD_SAFE, FI_THREAD_COMPLETION             Spin
//	FI_THREAD_DOMAIN with FI_PROGRESS_AUTO           Biased
//	FI_THREAD_DOMAIN with FI_PROGRESS_MANUAL         None
//
// A lock and unlock cost some 6 ns for Spin (12 for a sync.Mutex), 1 ns for Biased; a biased lock pays for it when somebody else than
// its owner comes, with a memory barrier on all processors that run this process (some microseconds).
//
//	var l lock.Lock
//	l.Init(lock.Biased, shmem.PrivateBarrier)
//	l.Lock() // the application
//	l.Unlock()
//	l.LockOther() // the progress goroutine
//	l.UnlockOther()
//
// "Owner" means whoever calls Lock: one goroutine at a time, which the caller guarantees for None and Biased. It need not
// be the same goroutine or thread each time. Locks are not recursive. No operating system is in here: the barrier is
// passed in.
package lock
