package skeleton

import (
	"context"
	"strconv"
	"strings"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// Name is the provider's name, as FI_PROVIDER and hints give it.
const Name = "skeleton"

// prefix begins every address. Addresses are whatever bytes you like; text is easy to read.
const prefix = "fi_skeleton://"

// Provider is a network within this process.
type Provider struct {
	mu     driver.Lock          // of all domains: endpoints reach into each other
	byName map[string]*endpoint // guarded by mu
	last   int                  // number of the last name; guarded by mu
}

// New makes a network.
func New() *Provider { return &Provider{byName: map[string]*endpoint{}} }

// Name gives "skeleton".
func (p *Provider) Name() string { return Name }

// caps are what the provider promises: each must work, and the suite looks.
const caps = fi.CapMsg | fi.CapSend | fi.CapRecv | fi.CapLocalComm

// Offers gives all that could be opened now, and a reason for what could not.
func (p *Provider) Offers(_ context.Context, q *driver.Query) ([]*fi.Info, []fi.Rejection) {
	if q.Node != "" || q.Service != "" {
		return nil, []fi.Rejection{{Provider: Name, Attr: "node", Want: q.Node + ":" + q.Service, Have: "endpoints of this process only"}}
	}
	const many = 1 << 16
	return []*fi.Info{{
		Caps: caps, AddrFormat: fi.AddrFormatStr,
		Tx: fi.TxAttr{Caps: caps & fi.TxCaps, MsgOrder: fi.OrderSAS, InjectSize: 4096, Size: many, IovLimit: 1, RMAIovLimit: 1},
		Rx: fi.RxAttr{Caps: caps & fi.RxCaps, MsgOrder: fi.OrderSAS, Size: many, IovLimit: 1},
		EP: fi.EPAttr{Type: fi.EPRDM, MaxMsgSize: 1 << 30, TxCtxCount: 1, RxCtxCount: 1},
		Domain: fi.DomainAttr{Name: Name, Threading: fi.ThreadSafe, Progress: fi.ProgressAuto, ResourceMgmt: fi.RMEnabled,
			AVType: fi.AVUnspec, MRKeySize: 8, CQDataSize: 8, CQCount: many, EPCount: many, TxCtxCount: many, RxCtxCount: many,
			MaxEPTxCtx: 1, MaxEPRxCtx: 1, CounterCount: many, MRIovLimit: 1, MRCount: many, Caps: caps & fi.DomainCaps},
		Fabric: fi.FabricAttr{Name: Name, ProvName: Name, ProvVersion: fi.ProvVersion, APIVersion: fi.APIVersion},
	}}, nil
}

// OpenFabric opens the network.
func (p *Provider) OpenFabric(*fi.Info) (driver.Fabric, error) { return &network{p}, nil }

type network struct{ p *Provider }

func (n *network) OpenDomain(info *fi.Info) (driver.Domain, error) { return newDomain(n.p, info), nil }
func (n *network) Close() error                                    { return nil }

// freshName gives a name that nobody has. With the lock.
func (p *Provider) freshName() []byte {
	p.last++
	return []byte(prefix + strconv.Itoa(p.last))
}

// checkAddr gives the address at the beginning of a buffer that may be longer, and end in zeros.
func checkAddr(raw []byte) ([]byte, error) {
	s, _, _ := strings.Cut(string(raw), "\x00")
	if len(s) <= len(prefix) || !strings.HasPrefix(s, prefix) {
		return nil, &fi.Error{Op: "addr", Provider: Name, Err: fi.ErrInvalid, Hint: "addresses are " + prefix + "NUMBER"}
	}
	return []byte(s), nil
}
