// Package shm is the provider for peers on the same host: messages, remote memory access and atomics through shared
// memory, without a file, a signal handler or cgo.
//
// Import it for its side effect, which registers it:
//
//	import _ "github.com/gofabric/gofabric/providers/shm"
//
// # How it works
//
// An endpoint listens on an abstract Unix socket. On first contact two endpoints exchange memory files over it: a pair of
// rings (64 KiB in all), and each domain's table with its sleep word and its memory regions. Small messages travel
// through the rings; large ones by one of three roads (see below); remote accesses to memory of mr.Alloc are done by the
// initiator itself, in the mapped memory; other memory is accessed by the target's progress. docs/wire/shm.md has the
// layout and the protocol.
//
//	map   the sender's buffer is memory of mr.Alloc: the receiver maps it and copies once
//	cma   the receiver copies from the sender's process (process_vm_readv), where the system allows that
//	bulk  through blocks of shared memory, two copies that overlap
//
// Datagrams (FI_EP_DGRAM) are small messages that may be lost: by a peer that is not there, or that reads nothing.
//
// # Concurrency and progress
//
// All threading and progress models of package fabric. With automatic progress a peer that does not poll is served
// within a millisecond of its last poll, and later within some 50 us, when a processor is idle; with GOMAXPROCS=1 beside
// a goroutine that computes, the runtime's preemption (10 to 30 ms) sets the pace.
//
// # Trust
//
// Only processes of the same user connect. A peer writes to the pair's memory and to memory of mr.Alloc that was
// registered or sent from, nowhere else; whatever it writes, it cannot make this process touch other memory, spin for ever or panic. A key protects
// against mistakes: a process that has mapped memory of mr.Alloc can access it until it unmaps it. See SECURITY.md.
//
// # Environment
//
// FI_SHM_ROAD, FI_SHM_DISABLE_CMA, FI_SHM_PTRACER_ANY, FI_SHM_SOCKET_DIR, FI_SHM_TX_SIZE, FI_SHM_RX_SIZE,
// FI_SHM_UNEXPECTED, FI_SHM_CONNECT_TIMEOUT, FI_SHM_DGRAM_WAIT, FI_SHM_LINGER: fi_info -e explains each.
package shm
