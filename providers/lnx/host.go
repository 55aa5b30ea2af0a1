package lnx

import "github.com/gofabric/gofabric/internal/hostid"

// hostID is what tells this host from others: processes with the same one can reach each other by links that do not leave
// the host, or so it seems until they connect. name is FI_LNX_HOST.
func hostID(name string) string { return hostid.Of(name) }

// noHost stands for a host that is not known to be ours.
const noHost = "0000000000000000"
