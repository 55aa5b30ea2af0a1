// Skipcheck reads what go test -json prints and gives back what go test prints without it, and fails when a test was
// skipped without a reason that is known.
//
//	go test -json ./... | go run ./internal/archtest/skipcheck
//
// A reason is known when the skip's message starts with "known:", as in
//
//	t.Skip("known: no RDMA device on this machine")
//
// Those are counted and listed with their reasons at the end. Any other skip, a failed test and a failed build make the
// exit status 1. Output of tests that passed is left out.
package main
