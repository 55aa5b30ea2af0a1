//go:build !race

package main

import "time"

// A loaded machine may be slow now and then, so one quick start of many is enough.
const (
	mostStart = 100 * time.Millisecond
	starts    = 50
)
