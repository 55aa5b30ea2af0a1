package lnx

import (
	"strings"
	"time"

	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/internal/envknob"
)

// The provider's variables; the first and the third are those of C's lnx.
var (
	knobLinks      = envknob.String("FI_LNX_PROV_LINKS", Name, "what is linked: providers with + between them, each perhaps with : and the name of a domain; several such sets with | between them", defaultLinks)
	knobHost       = envknob.String("FI_LNX_HOST", Name, "name of this host, instead of its boot id, network namespace and user id: peers with the same one are reached by shm", "")
	knobDisableSHM = envknob.Bool("FI_LNX_DISABLE_SHM", Name, "leave links out that reach this host only", envknob.Off)
	knobUnexpected = envknob.Size("FI_LNX_UNEXPECTED", Name, "bytes of unexpected messages that an endpoint keeps, from all links, before senders are held back", rdm.DefaultBudget)
	knobLinger     = envknob.Between(envknob.Int("FI_LNX_LINGER", Name, "milliseconds that closing an endpoint waits for what was sent to peers that no link has reached yet; each link then waits for the rest", 2000), 0, 1<<30)

	// Known from C's lnx, and without an effect here: nobody shall be told that they are misspelled.
	_ = envknob.String("FI_LNX_MULTI_RAIL_SELECTION", Name, unused+": a peer has one link", "")
	_ = envknob.Bool("FI_LNX_DUMP_STATS", Name, unused+": see Stats of endpoints", envknob.Off)
)

const unused = "known from C's lnx; not used here"

const defaultLinks = "shm+tcp"

// config is what the environment says.
type config struct {
	sets       []set
	byDefault  bool // nobody has asked for these links: those that there are serve
	host       string
	named      bool // host is FI_LNX_HOST: that a node is this machine does not say that it is this host
	remoteOnly bool
	unexpected int
	linger     time.Duration
}

// readConfig reads the variables; the error names the one that cannot be read.
func readConfig(env envknob.Lookup) (*config, error) {
	c := &config{}
	text, err := knobLinks.Get(env)
	if err != nil {
		return nil, err
	}
	_, given := knobLinks.Lookup(env)
	c.byDefault = !given
	if c.sets, err = parseSets(text); err != nil {
		return nil, err
	}
	name, err := knobHost.Get(env)
	if err != nil {
		return nil, err
	}
	c.host, c.named = hostID(name), name != ""
	if c.remoteOnly, err = knobDisableSHM.Get(env); err != nil {
		return nil, err
	}
	if c.unexpected, err = knobUnexpected.Get(env); err != nil {
		return nil, err
	}
	ms, err := knobLinger.Get(env)
	c.linger = time.Duration(ms) * time.Millisecond
	return c, err
}

// set is what one endpoint is linked of.
type set []linkName

// linkName is a provider, and one of its domains if it is named.
type linkName struct{ prov, domain string }

// String gives the set as FI_LNX_PROV_LINKS has it.
func (s set) String() string {
	var parts []string
	for _, n := range s {
		if n.domain == "" || n.domain == n.prov {
			parts = append(parts, n.prov)
		} else {
			parts = append(parts, n.prov+":"+n.domain)
		}
	}
	return strings.Join(parts, "+")
}
