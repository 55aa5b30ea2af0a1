// Package conn is the half of a connected endpoint (FI_EP_MSG) that does not depend on how bytes travel. To package rdm a
// connected endpoint is one with a single [rdm.Peer], whose Addr is fi.AddrNotAvail and which needs no address vector; its
// Info has no directed receives, no peer groups and no FI_SOURCE. This package is what is left: what becomes of receives
// when a connection ends.
package conn
