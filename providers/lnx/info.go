package lnx

import (
	"slices"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// notLinked are capabilities of links that an endpoint above them has not.
const notLinked = fi.CapNamedRxCtx | driver.CapSharedAV

// compose gives what an endpoint can do: what all of its links can.
func compose(c *config, links []*offer, asked *ends) *fi.Info {
	i := links[0].info.Clone()
	names, fabric := set{}, ""
	src, dest := address{host: noHost}, address{host: noHost} // our own is known when an endpoint has one
	reach := fi.Caps(0)
	for n, l := range links {
		if n > 0 {
			both(i, l.info)
			fabric += "+"
		}
		prov := l.prov.Name()
		fabric += l.info.Fabric.Name
		names = append(names, linkName{prov, l.info.Domain.Name})
		reach |= l.info.Caps & (fi.CapLocalComm | fi.CapRemoteComm)
		src.add(prov, l.info.SrcAddr)
		if raw := l.info.DestAddr; len(raw) > 0 && (!l.near() || !c.named || !known(links)) {
			dest.add(prov, raw)
			if l.near() {
				dest.host = c.host
			}
		}
	}
	if asked.dest != nil {
		dest = *asked.dest
	}
	for _, caps := range []*fi.Caps{&i.Caps, &i.Tx.Caps, &i.Rx.Caps, &i.Domain.Caps} {
		*caps &^= notLinked
	}
	i.Caps |= reach
	i.Domain.Caps |= reach & fi.DomainCaps
	i.AddrFormat, i.SrcAddr, i.DestAddr = fi.AddrFormatStr, src.bytes(), dest.bytes()
	i.EP.Protocol, i.EP.ProtocolVersion = fi.ProtoGoLNX, 1
	i.Domain.Name, i.Fabric.Name, i.Fabric.ProvName = names.String(), fabric, Name
	i.Domain.MaxEPTxCtx, i.Domain.MaxEPRxCtx = 1, 1
	i.Domain.MaxGroupID, i.Domain.MaxEPAuthKey = 0, 0
	i.NIC = nil
	return i
}

// known tells whether a link that leads to other hosts knows the peer.
func known(links []*offer) bool {
	return slices.ContainsFunc(links, func(l *offer) bool { return !l.near() && len(l.info.DestAddr) > 0 })
}

// both leaves of an Info what another one has, too.
func both(i, o *fi.Info) {
	i.Caps &= o.Caps
	i.Mode |= o.Mode
	i.Tx.Caps &= o.Tx.Caps
	i.Tx.MsgOrder &= o.Tx.MsgOrder
	i.Tx.InjectSize = min(i.Tx.InjectSize, o.Tx.InjectSize)
	i.Tx.Size = min(i.Tx.Size, o.Tx.Size)
	i.Tx.IovLimit = min(i.Tx.IovLimit, o.Tx.IovLimit)
	i.Tx.RMAIovLimit = min(i.Tx.RMAIovLimit, o.Tx.RMAIovLimit)
	i.Rx.Caps &= o.Rx.Caps
	i.Rx.MsgOrder &= o.Rx.MsgOrder
	i.Rx.Size = min(i.Rx.Size, o.Rx.Size)
	i.Rx.IovLimit = min(i.Rx.IovLimit, o.Rx.IovLimit)
	e, f := &i.EP, &o.EP
	e.MaxMsgSize = min(e.MaxMsgSize, f.MaxMsgSize)
	e.MaxOrderRAWSize = min(e.MaxOrderRAWSize, f.MaxOrderRAWSize)
	e.MaxOrderWARSize = min(e.MaxOrderWARSize, f.MaxOrderWARSize)
	e.MaxOrderWAWSize = min(e.MaxOrderWAWSize, f.MaxOrderWAWSize)
	d, g := &i.Domain, &o.Domain
	d.Caps &= g.Caps
	d.MRMode |= g.MRMode
	d.MRKeySize = min(d.MRKeySize, g.MRKeySize)
	d.CQDataSize = min(d.CQDataSize, g.CQDataSize)
	d.MRIovLimit = min(d.MRIovLimit, g.MRIovLimit)
	d.MaxErrData = min(d.MaxErrData, g.MaxErrData)
}

// linkInfo is what the part of a link is opened with: its provider's own offer, with what the application has chosen.
func linkInfo(offer, chosen *fi.Info, src []byte) *fi.Info {
	i := offer.Clone()
	i.Caps &= chosen.Caps &^ fi.CapCollective
	i.Caps |= offer.Caps & (fi.CapLocalComm | fi.CapRemoteComm)
	i.Tx.Caps &= i.Caps
	i.Rx.Caps &= i.Caps
	i.Tx.OpFlags, i.Rx.OpFlags = chosen.Tx.OpFlags, chosen.Rx.OpFlags
	i.Tx.Size, i.Rx.Size = chosen.Tx.Size, chosen.Rx.Size
	i.EP.TxCtxCount, i.EP.RxCtxCount = chosen.EP.TxCtxCount, chosen.EP.RxCtxCount
	i.EP.MemTagFormat = chosen.EP.MemTagFormat
	i.Domain.Threading, i.Domain.Progress = chosen.Domain.Threading, chosen.Domain.Progress
	i.Domain.ResourceMgmt, i.Domain.AVType, i.Domain.TClass = chosen.Domain.ResourceMgmt, chosen.Domain.AVType, chosen.Domain.TClass
	i.Domain.MRMode = chosen.Domain.MRMode &^ fi.MRModeProvKey
	i.Domain.MaxGroupID, i.Domain.MaxEPAuthKey = 0, 0
	if len(src) > 0 {
		i.SrcAddr = src
	}
	i.DestAddr = nil
	return i
}
