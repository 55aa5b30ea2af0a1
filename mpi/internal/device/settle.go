package device

import "github.com/gofabric/gofabric/internal/osx"

// Settle shows the race detector what came by memory that processes share: what the provider has written for others into
// this process's memory lies behind what it has done for them so far. Without the detector it does nothing.
func (d *Device) Settle() {
	if osx.RaceEnabled {
		d.token.Lock()
		d.completeErr() // it takes the lock of the provider
		d.token.Unlock()
	}
}
