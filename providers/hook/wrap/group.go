package wrap

import (
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// Join makes the inner endpoint a member of a multicast group.
func (e *endpoint) Join(raw []byte, flags fi.BindFlags) (g driver.Group, err error) {
	err = e.call(Join, []Arg{{"addr", e.d.FormatAddr(raw)}, {"flags", flags}}, func() (string, error) {
		inner, ok := driver.Ability[driver.Joiner](e.Endpoint)
		if !ok {
			return "", fi.ErrNoSys
		}
		g, err = inner.Join(raw, flags)
		return "", err
	})
	return g, err
}

// Answers tells whether raw is an address of the inner endpoint.
func (e *endpoint) Answers(raw []byte) bool {
	inner, ok := driver.Ability[driver.Answerer](e.Endpoint)
	return ok && inner.Answers(raw)
}
