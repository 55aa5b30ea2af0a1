//go:build race

package main

// raceEnabled tells whether the race detector watches.
const raceEnabled = true
