package shm

import (
	"time"

	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/internal/envknob"
)

// The provider's variables.
var (
	knobRoad       = envknob.Choice("FI_SHM_ROAD", Name, "how messages of more than 8 KiB travel", "auto", roadNames[:]...)
	knobDisableCMA = envknob.Bool("FI_SHM_DISABLE_CMA", Name, "never use process_vm_readv", envknob.Off)
	knobPtracer    = envknob.Bool("FI_SHM_PTRACER_ANY", Name, "let every process of this user read our memory where the system restricts that (ptrace_scope 1)", envknob.Off)
	knobSocketDir  = envknob.String("FI_SHM_SOCKET_DIR", Name, "folder for socket files instead of abstract names, for containers that share a folder but no network namespace", "")
	knobTxSize     = envknob.Between(envknob.Size("FI_SHM_TX_SIZE", Name, "operations in flight of an endpoint", 1024), 1, 1<<20)
	knobRxSize     = envknob.Between(envknob.Size("FI_SHM_RX_SIZE", Name, "posted receives of an endpoint (a hint)", 1024), 1, 1<<20)
	knobUnexpected = envknob.Size("FI_SHM_UNEXPECTED", Name, "bytes of unexpected messages that an endpoint keeps before senders are told to announce", rdm.DefaultBudget)
	knobConnect    = envknob.Between(envknob.Int("FI_SHM_CONNECT_TIMEOUT", Name, "milliseconds to wait for a peer that is not there yet; one that is there and does not answer gets twenty times that", 500), 1, 1<<30)
	knobDgram      = envknob.Between(envknob.Int("FI_SHM_DGRAM_WAIT", Name, "milliseconds that a datagram to a peer that is being connected with, or that reads nothing, gets FI_EAGAIN before it is dropped", 100), 0, 1<<30)
	knobLinger     = envknob.Between(envknob.Int("FI_SHM_LINGER", Name, "milliseconds that closing an endpoint waits for accepted operations", 2000), 0, 1<<30)
)

// config is what the environment says.
type config struct {
	road           road
	cma            bool
	ptracerAny     bool
	socketDir      string
	txSize, rxSize int
	unexpected     int
	connectTimeout time.Duration
	dgramWait      time.Duration
	linger         time.Duration
}

// readConfig reads the variables; the error names the one that cannot be read.
func readConfig(env envknob.Lookup) (c *config, err error) {
	r := &reader{env: env}
	c = &config{}
	name := get(r, knobRoad)
	for i, n := range roadNames {
		if n == name {
			c.road = road(i)
		}
	}
	c.cma = !get(r, knobDisableCMA)
	c.ptracerAny = get(r, knobPtracer)
	c.socketDir = get(r, knobSocketDir)
	c.txSize, c.rxSize = get(r, knobTxSize), get(r, knobRxSize)
	c.unexpected = get(r, knobUnexpected)
	c.connectTimeout = time.Duration(get(r, knobConnect)) * time.Millisecond
	c.dgramWait = time.Duration(get(r, knobDgram)) * time.Millisecond
	c.linger = time.Duration(get(r, knobLinger)) * time.Millisecond
	return c, r.err
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
