// Package selftalk opens everything that an endpoint needs to talk to itself, for tests of what stands between an
// application and a provider.
//
// It is for tests, and reads no environment variables.
package selftalk
