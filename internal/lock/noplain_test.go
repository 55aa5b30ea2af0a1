//go:build !amd64 || race

package lock

const plainStore = false
