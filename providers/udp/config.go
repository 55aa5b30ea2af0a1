package udp

import (
	"github.com/gofabric/gofabric/internal/envknob"
	"github.com/gofabric/gofabric/internal/inet"
)

// The provider's variables.
var (
	knobIface    = envknob.String("FI_UDP_IFACE", Name, "interfaces or addresses to use, separated by commas; ^ in front of the list means all but these", "")
	knobMaxMsg   = envknob.Between(envknob.Size("FI_UDP_MAX_MSG_SIZE", Name, "longest message in bytes; 0: what fits into one packet of the interface, at most 1472", 0), 0, payloadMax)
	knobPortable = envknob.Bool("FI_UDP_PORTABLE", Name, "use sockets of package net instead of system calls, as on systems other than Linux: slower, and without multicast", envknob.Off)
)

// config is what the environment says.
type config struct {
	iface  string
	maxMsg int // 0: by the interface
	soft   bool
}

// readConfig reads the variables; the error names the one that cannot be read.
func readConfig(env envknob.Lookup) (c config, err error) {
	if c.iface, err = knobIface.Get(env); err != nil {
		return c, err
	}
	if c.maxMsg, err = knobMaxMsg.Get(env); err != nil {
		return c, err
	}
	soft, err := knobPortable.Get(env)
	c.soft = soft || !haveRaw
	return c, err
}

// limit is the longest message that an endpoint of an interface sends, in bytes.
func (c config) limit(i inet.Iface) int {
	if c.maxMsg > 0 {
		return c.maxMsg
	}
	header := 20 + 8 // of IPv4, and of UDP
	if i.Addr.Is6() {
		header = 40 + 8
	}
	return min(max(i.MTU-header, 512), cMaxMsg)
}
