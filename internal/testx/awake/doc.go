// Package awake counts time for limits in tests: only time in which somebody looked. While a machine stands still, or does
// something else, nobody looks, and no limit is overrun.
//
// A Clock belongs to one goroutine. The package reads no environment variables.
package awake
