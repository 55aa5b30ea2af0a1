// Package conformance is the suite that every provider runs: what an Info advertises must work, what it does not
// advertise must fail with fi.ErrNoSys. Who writes a provider needs nothing else:
//
//	func TestMain(m *testing.M) { conformance.Main(m, New()) }
//
//	func TestConformance(t *testing.T) {
//		conformance.Run(t, conformance.Harness{
//			Provider: New(),
//			Pair:     conformance.TwoProcess,
//			Known:    map[string]string{"rma/zero-length": "issue 41"},
//		})
//	}
//
// Sub-tests have stable names, cell/family/case: "rdm/tagged/ignore", "rdm,progress=manual/rma/write". A cell is what
// the endpoints are opened with, named by what differs from the default (threads safe, automatic progress); the quick
// matrix runs everything in the default cell and the core cases in some others. With -conformance.long everything runs
// in the cells of the quick matrix, the core in every combination, sizes go up to 64 MiB, and there are more random
// programs.
//
// An entry of Known must fail. When it passes, the suite fails and asks to remove it.
//
// [Gaps] lists what a provider that is being written still lacks; examples/provider-skeleton begins with that.
//
// # What is checked around every case
//
// No goroutine, descriptor or shared mapping is left. Every accepted operation completed exactly once, when its
// endpoint was closed at the latest. Counters are the sums of completions. Nothing was written outside a buffer, behind
// the end of a message, or after the completion; buffers that were given back (injects at return, sends at completion)
// are overwritten at once, so that late readers are found.
//
// # Sides and processes
//
// A case is one function that drives all sides through the public API of package fabric. With [InProcess] they are
// endpoints of this process; with [TwoProcess] every second one lives in another process, the test binary started
// again, which executes the same calls when it is told to. Cases about local matters always run in this process. [RunBoth]
// does both, and spends its time where each finds most.
//
// In cells of connected endpoints, "msg" and its variants, sides that know each other are connected, and the families
// about data run on that; those about connections (connect, shutdown, eq) run only there.
//
// # Corners
//
// What libfabric leaves open, and the cases that hold our answer:
//
//	an address inserted twice          has two names, senders are reported by the lowest    av/duplicates
//	two bindings of one kind           FI_EINVAL, the first stays                           wrong/bind-twice
//	an unknown operation flag          FI_EBADFLAGS, nothing is posted                      completion/flags-unknown
//	an inject over the limit           FI_EMSGSIZE                                          msg/too-long, rma/too-long
//	local and remote lengths differ    FI_EINVAL                                            rma/lengths-differ
//	cancel of an unknown context       FI_ENOENT                                            cancel/unknown
//	a counter beyond 2^64-1            goes on at 0                                         counter/overflow
//	alignment in multi-receives        none: each message right behind the one before       multi-recv/msg
//	a signal with nobody waiting       wakes nobody, also not the next reader               wait/signal-nobody
//	the sender of a matched message    the receive ends in error; kept messages stay        fault/killed-while-sending
//	dies
//	closing in the wrong order         FI_EBUSY with a list of what is open                 wrong/close-order
//	posting before there is a          accepted, and an error completion if it fails        fault/killed-before-contact
//	connection
//	sending before a connection        FI_ENOTCONN                                          connect/wrong-order
//	sending when it has ended          FI_ESHUTDOWN                                         shutdown/later-calls
//	receiving when it has ended        what has arrived, then FI_ECANCELED                  shutdown/what-was-sent
//	too much private data              FI_EINVAL, nothing is sent                           connect/too-much-data
//	an unanswered request when the     the asker gets FI_ECONNREFUSED                       connect/close-passive
//	passive endpoint closes
//	unread events of what closes       go                                                   eq/unread-events-go
//	no bytes with a bad key            an error completion                                  rma/zero-length
//	reading a queue of no endpoint     FI_EAGAIN                                            cq/no-endpoint
//	more than max_msg_size             FI_EMSGSIZE                                          msg/too-long
//
// # The oracle
//
// Random programs run on the provider and on providers/mem; what can be observed must be equal. Remote atomics are
// checked for linearizability from recorded histories. The test of the suite is providers/hook/chaos: every one of its
// mutants must be caught.
//
// The package is for tests. It reads no environment variables but one of its own, by which the second process knows
// what it is.
package conformance
