package chaos

// The wrappers have every optional interface; driver.Ability asks whether what they stand before has it.

// Inner gives the inner provider.
func (p *Provider) Inner() any { return p.inner }

func (n *network) Inner() any  { return n.Fabric }
func (d *domain) Inner() any   { return d.Domain }
func (e *endpoint) Inner() any { return e.Endpoint }
func (p *passive) Inner() any  { return p.PassiveEndpoint }
