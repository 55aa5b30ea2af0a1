//go:build race

package main

import "time"

// The race detector alone takes longer to start than a user would wait: only a hang is found.
const (
	mostStart = 30 * time.Second
	starts    = 1
)
