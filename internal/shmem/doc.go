// Package shmem is what a shared-memory fabric needs from Linux: memory files that cannot shrink under their reader,
// reading another process's memory, process-wide memory barriers, and local sockets that carry descriptors, tell who is
// on the other side and serve as a bell.
//
// On other systems everything that would open something returns an error for which
// errors.Is(err, [errors.ErrUnsupported]) holds.
//
// One side:
//
//	f, err := shmem.Create("pair", ring.PairBytes, shmem.Populate)
//	l, err := shmem.Listen(shmem.Abstract("gofabric/shm/1000/a"))
//	c, err := l.Accept() // ErrAgain: nobody has come; park on l.FD() by an Epoll
//	cred, err := c.Cred() // refuse strangers
//	err = c.Send(hello, f.FD())
//
// The other:
//
//	c, err := shmem.Connect(shmem.Abstract("gofabric/shm/1000/a"))
//	var m shmem.Message
//	err = c.Recv(&m) // ErrAgain: not yet
//	fds, err := m.Take(1)
//	p, err := shmem.MapPeer(fds[0], ring.PairBytes, shmem.ReadWrite, shmem.Populate)
//
// Nothing is left in the file system when a process ends, however it ends, except by [Path], whose stale file the next
// listener replaces. All descriptors are close-on-exec and all sockets non-blocking: [ErrAgain] says that there is nothing
// to do now, an [Epoll] says when to come again.
//
// Concurrency: [ReadProcess] and the barriers may be called by anybody. The methods of [Conn], [Listener], [Epoll] and
// [EventFD] may be called by several goroutines, but not beside or after Close: a descriptor's number is used again. A
// [Message] belongs to one goroutine.
//
// What a peer sends is checked here as far as the system is concerned (what kind of file, its size, its seals, how many
// descriptors); what is in the bytes is the caller's to check. The package reads no environment variables.
package shmem
