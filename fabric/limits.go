package fabric

import (
	"fmt"

	"github.com/gofabric/gofabric/fi"
)

// beyond tells what an Info asks for that the domain does not offer, and what to do; "" for nothing.
func (d *Domain) beyond(info *fi.Info) string {
	why := ""
	for _, o := range d.offers() {
		if o.Domain.Name != info.Domain.Name {
			continue
		}
		if o.EP.Type != info.EP.Type {
			if why == "" {
				why = fmt.Sprintf("no endpoints of type %v here", info.EP.Type)
			}
			continue
		}
		if why = exceeds(info, o); why == "" {
			return ""
		}
	}
	if why == "" || why == keyless {
		return why
	}
	return why + ": give an Info of GetInfo, or less than it says"
}

// exceeds compares an Info with an offer.
func exceeds(info, offer *fi.Info) string {
	if more := info.Caps &^ offer.Caps; more != 0 {
		return fmt.Sprintf("capabilities that are not offered: %v", more)
	}
	if why := unservedKey(info, offer.Domain.MaxEPAuthKey); why != "" {
		return why
	}
	for _, l := range [...]struct {
		name       string
		have, most int
	}{
		{"Tx.Size", info.Tx.Size, offer.Tx.Size},
		{"Tx.InjectSize", info.Tx.InjectSize, offer.Tx.InjectSize},
		{"Tx.IovLimit", info.Tx.IovLimit, offer.Tx.IovLimit},
		{"Tx.RMAIovLimit", info.Tx.RMAIovLimit, offer.Tx.RMAIovLimit},
		{"Rx.Size", info.Rx.Size, offer.Rx.Size},
		{"Rx.IovLimit", info.Rx.IovLimit, offer.Rx.IovLimit},
	} {
		if l.have < 0 || l.have > l.most {
			return fmt.Sprintf("%s is %d, at most %d", l.name, l.have, l.most)
		}
	}
	return ""
}
