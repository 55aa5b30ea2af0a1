//go:build !race

package fabnet_test

// raceEnabled tells whether the race detector watches.
const raceEnabled = false
