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
// matrix runs everything in the default cell and the core cases in some others, -conformance.long runs everything
// everywhere, and larger sizes.
//
// An entry of Known must fail. When it passes, the suite fails and asks to remove it.
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
// again, which executes the same calls when it is told to. Cases about local matters always run in this process.
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
