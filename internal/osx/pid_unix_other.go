//go:build unix && !linux

package osx

func ended(int) bool { return false }
