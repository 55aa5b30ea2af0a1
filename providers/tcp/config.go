package tcp

import (
	"crypto/tls"
	"time"

	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/envknob"
)

// The provider's variables; those that C's tcp has carry its names.
var (
	knobIface       = envknob.String("FI_TCP_IFACE", Name, "interfaces or addresses to use, separated by commas; ^ in front of the list means all but these", "")
	knobPortLow     = envknob.Between(envknob.Int("FI_TCP_PORT_LOW_RANGE", Name, "lowest port of listeners without a port of their own; 0: the system chooses", 0), 0, 65535)
	knobPortHigh    = envknob.Between(envknob.Int("FI_TCP_PORT_HIGH_RANGE", Name, "highest port of listeners without a port of their own; 0: the system chooses", 0), 0, 65535)
	knobTxSize      = envknob.Between(envknob.Size("FI_TCP_TX_SIZE", Name, "operations in flight of an endpoint", 1024), 1, 1<<20)
	knobRxSize      = envknob.Between(envknob.Size("FI_TCP_RX_SIZE", Name, "posted receives of an endpoint (a hint)", 1024), 1, 1<<20)
	knobMaxInject   = envknob.Between(envknob.Size("FI_TCP_MAX_INJECT", Name, "longest injected message in bytes", copyMax), 0, copyMax)
	knobNoDelay     = envknob.Choice("FI_TCP_NODELAY", Name, "TCP_NODELAY: -1 and 1 on, 0 off", "-1", "-1", "0", "1")
	knobUnexpected  = envknob.Size("FI_TCP_UNEXPECTED", Name, "bytes of unexpected messages that an endpoint keeps before it stops reading from their senders", rdm.DefaultBudget)
	knobConnect     = envknob.Between(envknob.Int("FI_TCP_CONNECT_TIMEOUT", Name, "milliseconds to connect to a peer, with all retries", 10_000), 1, 1<<30)
	knobUserTimeout = envknob.Between(envknob.Int("FI_TCP_USER_TIMEOUT", Name, "milliseconds after which a peer that acknowledges nothing is dead; 0: the system's rule", 30_000), 0, 1<<30)
	knobKeepAlive   = envknob.Between(envknob.Int("FI_TCP_KEEPALIVE", Name, "seconds of silence after which the peer is asked whether it is there; 0: never", 30), 0, 1<<15)
	knobMaxIdle     = envknob.Size("FI_TCP_MAX_IDLE", Name, "connections of a domain to peers that speak the extension; of more, those that are idle for longest end, and come back when they are needed; 0: any number", 4096)
	knobLinger      = envknob.Between(envknob.Int("FI_TCP_LINGER", Name, "milliseconds that closing an endpoint waits for accepted operations", 2000), 0, 1<<30)
	knobCongestion  = envknob.String("FI_TCP_CONGESTION", Name, "congestion control of connections: a name, or \"system\" to leave it alone; not set: reno within this host instead of a control that paces", "")
	knobExtension   = envknob.Bool("FI_TCP_EXTENSION", Name, "speak the extension with peers that speak it: atomics, errors of single accesses, match completion", envknob.On)
	knobReusePort   = envknob.Choice("FI_TCP_REUSEPORT", Name, "share ports within this process (SO_REUSEPORT): listen, a passive endpoint has several listeners; dial, a connected endpoint may call from the port of a passive one; all; or none", "none", "none", "listen", "dial", "all")
	knobFirewall    = envknob.Bool("FI_TCP_FIREWALL_ADDR", Name, "tell peers of FI_EP_RDM that this one cannot be connected to: they wait until it connects", envknob.Off)
	knobPortable    = envknob.Bool("FI_TCP_PORTABLE", Name, "use sockets of package net instead of system calls, as on systems without epoll: slower", envknob.Off)
	knobTrace       = envknob.Bool("FI_TCP_TRACE_MSG", Name, "with FI_LOG_LEVEL=trace or more: log each message of the handshake and each header of the stream that is sent or received; of those that come faster than the log takes them, the number; written a moment later, the last ones when the endpoint is closed", envknob.Off)
	knobRendezvous  = envknob.Size("FI_TCP_RENDEZVOUS", Name, "length in bytes from which a message is announced first, between peers that speak the extension; 0: never", 1<<20)
	knobMaxSaved    = envknob.Size("FI_TCP_MAX_SAVED_SIZE", Name, "length in bytes from which a tagged message is announced first, towards peers of RDM protocol 1 that do not speak the extension; 0: never", 0)

	// Known from C's tcp, and without an effect here: nobody shall be told that they are misspelled.
	_ = envknob.Bool("FI_TCP_IO_URING", Name, unused+", where io_uring is slower", envknob.Off)
	_ = envknob.Size("FI_TCP_ZEROCOPY_SIZE", Name, unused+", where MSG_ZEROCOPY is slower", 0)
	_ = envknob.Size("FI_TCP_STAGING_SBUF_SIZE", Name, unused+": small messages gather in 16 KiB", 16<<10)
	_ = envknob.Size("FI_TCP_PREFETCH_RBUF_SIZE", Name, unused+": sockets are read by 18 KiB", 16<<10)
	_ = envknob.Size("FI_TCP_MAX_SAVED", Name, unused+": FI_TCP_UNEXPECTED bounds what is kept", 0)
	_ = envknob.Size("FI_TCP_MAX_RX_SIZE", Name, unused+": FI_TCP_UNEXPECTED bounds what is kept", 0)
	_ = envknob.Bool("FI_TCP_DISABLE_AUTO_PROGRESS", Name, unused+": ask for FI_PROGRESS_MANUAL", envknob.Off)
	_ = envknob.String("FI_TCP_PROV_NAME", Name, unused, Name)
)

const unused = "known from C's tcp; not used here"

// socketOptions are what a connection's socket gets.
type socketOptions struct {
	noDelay       bool
	userTimeoutMS int
	keepAlive     int    // seconds; 0: off
	congestion    string // empty: the system's
	paced         bool   // change only a control that paces
}

// config is what the environment says.
type config struct {
	iface             string
	portLow, portHigh int
	txSize, rxSize    int
	inject            int
	unexpected        int
	connectTimeout    time.Duration
	linger            time.Duration
	congestion        string
	options           socketOptions
	extension         bool
	rendezvous        int
	maxSaved          int
	maxIdle           int
	shares            int // uses of shared ports
	firewall          bool
	trace             bool
	kind              socketKind
	tls               *tls.Config // nil: no encryption
}

// readConfig reads the variables; the error names the one that cannot be read.
func readConfig(env envknob.Lookup) (*config, error) {
	r := &reader{env: env}
	c := &config{
		iface:   get(r, knobIface),
		portLow: get(r, knobPortLow), portHigh: get(r, knobPortHigh),
		txSize: get(r, knobTxSize), rxSize: get(r, knobRxSize), inject: get(r, knobMaxInject),
		unexpected:     get(r, knobUnexpected),
		connectTimeout: time.Duration(get(r, knobConnect)) * time.Millisecond,
		linger:         time.Duration(get(r, knobLinger)) * time.Millisecond,
		congestion:     get(r, knobCongestion),
		extension:      get(r, knobExtension),
		rendezvous:     get(r, knobRendezvous),
		maxSaved:       get(r, knobMaxSaved),
		maxIdle:        get(r, knobMaxIdle),
		shares:         sharesOf(get(r, knobReusePort)),
		firewall:       get(r, knobFirewall),
		trace:          get(r, knobTrace),
		options: socketOptions{noDelay: get(r, knobNoDelay) != "0", userTimeoutMS: get(r, knobUserTimeout),
			keepAlive: get(r, knobKeepAlive)},
	}
	if c.kind = available; get(r, knobPortable) {
		c.kind = pumpSockets
	}
	if r.err == nil {
		r.err = c.checkPorts()
	}
	return c, r.err
}

// checkPorts looks whether the range has a port at all.
func (c *config) checkPorts() error {
	if c.portLow <= c.portHigh {
		return nil
	}
	return &fi.Error{Op: "getinfo", Provider: Name, Err: fi.ErrInvalid,
		Hint: knobPortLow.Name() + "=" + itoa(c.portLow) + " is above " + knobPortHigh.Name() + "=" + itoa(c.portHigh) +
			": give both, the lower port first (the same twice is one port)"}
}

// rangeText names the ports of the range.
func (c *config) rangeText() string {
	return knobPortLow.Name() + ".." + knobPortHigh.Name() + " (" + itoa(c.portLow) + "-" + itoa(c.portHigh) + ")"
}

// socket gives the options of a connection; near tells that the peer is on this host.
func (c *config) socket(near bool) socketOptions {
	o := c.options
	switch {
	case c.congestion == "system":
	case c.congestion != "":
		o.congestion = c.congestion
	case near: // a control that paces, as bbr does, halves what the loopback can do
		o.congestion, o.paced = "reno", true
	}
	return o
}

// reader keeps the first error.
type reader struct {
	env envknob.Lookup
	err error
}

func get[T any](r *reader, k *envknob.Knob[T]) T {
	v, err := k.Get(r.env)
	if err != nil && r.err == nil {
		r.err = err
	}
	return v
}
