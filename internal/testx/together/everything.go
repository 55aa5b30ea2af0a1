package together

import (
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/testx/serial"
)

// Everything does every collective with every operation on every type, also with buffers larger than what goes at once,
// and compares with one processor that does one after the other.
func Everything(t T, ms []*Member) {
	t.Helper()
	called(t, ms, (*serial.Caller).Everything)
}

// Large does collectives with blocks of some numbers of bytes, where algorithms change.
func Large(t T, ms []*Member, sizes ...int) {
	t.Helper()
	called(t, ms, func(c *serial.Caller) error { return c.Large(sizes...) })
}

// called has all members make calls in the group of all.
func called(t T, ms []*Member, calls func(*serial.Caller) error) {
	t.Helper()
	Each(t, ms, func(m *Member) error {
		at, err := m.All()
		if err != nil {
			return err
		}
		return calls(m.caller(at))
	})
}

// caller makes calls in a group of all.
func (m *Member) caller(at fi.Addr) *serial.Caller {
	return &serial.Caller{EP: m.EP, Group: at, Rank: m.Rank, Addrs: m.Addrs, Wait: m.Wait}
}
