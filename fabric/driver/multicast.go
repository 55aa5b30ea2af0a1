package driver

import "github.com/gofabric/gofabric/fi"

// Joiner is an [Endpoint] with multicast (FI_MULTICAST), enabled.
type Joiner interface {
	// Join makes the endpoint a member of a group, whose address CheckAddr has accepted: flags say whether it sends
	// (fi.BindTransmit), receives (fi.BindRecv), or both; one of them is set. It returns when that is done.
	Join(raw []byte, flags fi.BindFlags) (Group, error)
}

// Group is an endpoint's membership.
type Group interface {
	// Addr is the group as sends take it, beside the addresses of the vector.
	Addr() fi.Addr
	// Close ends the membership. Sends to Addr return fi.ErrInvalid afterwards.
	Close() error
}
