// Package logbook keeps what is logged, for tests that look at it.
//
// A Book is a handler for log/slog and safe for concurrent use. The package reads no environment variables.
package logbook
