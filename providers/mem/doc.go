// Package mem is the in-process provider: endpoints of one process reach each other, and every operation completes as
// soon as it can. It is the reference that other providers are compared with, the one in the Examples, and the one for
// tests of programs that use fabrics: it needs no rights, starts no goroutine and is deterministic when the program is.
//
// Import it for its side effect, which registers it:
//
//	import _ "github.com/gofabric/gofabric/providers/mem"
//
// or make a network of your own, which shares nothing with others: fabric.NewRegistry(mem.New()).
//
// Addresses are text, FI_ADDR_STR: "fi_mem://name". An endpoint, and a passive one, is named by the service given to
// GetInfo with fi.InfoSource, by SetName, or with a number. There are no remote hosts, so a node is ignored.
//
// Endpoints are for datagrams (FI_EP_RDM) or connected (FI_EP_MSG). What is pending when a connection ends is cancelled on
// both sides before either hears of it.
//
// One lock serialises all endpoints of a network, whatever the threading of their domains. The provider reads no
// environment variables.
package mem
