// Package archtest holds the house rules of this repository as tests: who may import whom, what is documented, what may
// stand in a file. Go's own test command runs them; no linter is needed.
//
// Each check takes a [Tree], parsed from the source files without regard to build constraints, so that a rule holds for
// every system at once, and gives [Finding]s. A finding's text is the reason of the rule.
//
// The comments that the checks look for:
//
//	//fabric:fastpath            on a function: it may not allocate; a test proves it
//	// allocs: Type.Method Name  in a test that calls testing.AllocsPerRun: it proves these functions
//	// allocs: fabric/driver: Engine.Poll   the same for functions of another package
//	// sleep: reason             beside time.Sleep in a test: why it is not used to wait for something
//	// long: reason              at the top of a file: why it is longer than others
//
// An allocation test proves without being told what it calls by name in its package and in those that its file imports,
// and what those call in the same way; the comment is for what lies behind an interface.
//
// The test of the tests is testdata/mutants.txt: small trees that each break one rule, with the finding that must come.
//
// Nothing imports this package. It reads no environment variables.
package archtest
