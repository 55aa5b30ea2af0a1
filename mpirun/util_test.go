package main

import (
	"slices"
	"strings"
)

// lines gives the lines of a text in order.
func lines(text string) string {
	l := strings.Split(strings.TrimSpace(text), "\n")
	slices.Sort(l)
	return strings.Join(l, "\n")
}
