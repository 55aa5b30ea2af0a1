package chaos

import (
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// Stats adds the inner endpoint's numbers.
func (e *endpoint) Stats(s *fi.EndpointStats) {
	inner, ok := driver.Ability[driver.EndpointCounter](e.Endpoint)
	if !ok {
		return
	}
	inner.Stats(s)
	s.Again += e.again.Load()
	switch n := &s.Ops[fi.OpKindTSend]; e.m {
	case StatsMiss:
		n.Done -= (n.Done + 3) / 4
	case LevelsStay:
		s.Rx.Posted = max(s.Rx.Posted, 1)
	}
}
