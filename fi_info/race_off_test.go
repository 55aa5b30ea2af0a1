//go:build !race

package main

import "time"

// A loaded machine may be slow for a while, so one quick start of very many is enough.
const (
	mostStart = 100 * time.Millisecond
	starts    = 300
)
