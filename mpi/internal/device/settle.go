package device

import "github.com/gofabric/gofabric/internal/osx"

// Settle shows the race detector an order that comes by memory which processes share, where it sees none: what the provider
// has written for others into this process's memory lies before what the caller does next, and what the caller has done
// before what the provider will do. Without the detector it does nothing.
func (d *Device) Settle() {
	if osx.RaceEnabled {
		d.token.Lock()
		d.completeErr() // it takes the lock of the provider
		d.token.Unlock()
	}
}
