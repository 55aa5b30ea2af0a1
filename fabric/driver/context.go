package driver

// A scalable endpoint is several endpoints of a provider under one name: its n-th transmit and its n-th receive context
// are the two halves of the n-th of them, whose address follows from that of the first.

// ContextAddresser is a domain whose endpoints can be contexts of scalable endpoints.
type ContextAddresser interface {
	// ContextAddr gives the address of context i of the scalable endpoint at the canonical address raw; raw itself for 0.
	ContextAddr(raw []byte, i int) ([]byte, error)
}

// Context is an endpoint that can be a context of a scalable endpoint. Its halves may come after Enable.
type Context interface {
	Endpoint

	// SetContext makes it context i, from 1, of the scalable endpoint whose first context is enabled. Before Enable;
	// fi.ErrAddrInUse from Enable says that somebody else has the address.
	SetContext(first Endpoint, i int) error

	// Rebind takes over what was not bound at Enable: the queues and counters of a half.
	Rebind(b *Bindings)
}

// MaxContexts is the most contexts of a kind that a scalable endpoint has.
const MaxContexts = 16
