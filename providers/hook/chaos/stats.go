package chaos

import (
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// Stats adds the inner endpoint's numbers.
func (e *endpoint) Stats(s *fi.EndpointStats) {
	if inner, ok := driver.Ability[driver.EndpointCounter](e.Endpoint); ok {
		inner.Stats(s)
	}
}
