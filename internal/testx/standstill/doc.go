// Package standstill stops processes for tests, and tells when they have stopped: a signal says only that they will. It
// works on Linux.
//
// The package reads no environment variables.
package standstill
