//go:build race

package atomic

const raceEnabled = true
