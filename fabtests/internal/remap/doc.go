// Package remap maps ordinary memory at an address where other memory was, as programs do that give memory back and get
// some again: what a provider remembers of an address must not outlive the memory there.
//
//	m, err := remap.New(4096, nil)
//	at, err := m.Free()
//	m, err = remap.New(4096, at) // most likely at the same address
//
// The functions may be called by goroutines at the same time.
package remap
