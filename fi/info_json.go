package fi

import (
	"encoding/json"
	"fmt"
)

// SchemaVersion is the version of the JSON form of [Info] and [Hints]. It grows when a field changes its meaning or
// goes; new fields do not change it.
const SchemaVersion = 1

// infoJSON is the JSON form: C's names, sets as arrays, enumerations by name, addresses as text.
type infoJSON struct {
	Schema     int         `json:"schema"`
	Caps       Caps        `json:"caps"`
	Mode       Mode        `json:"mode"`
	AddrFormat AddrFormat  `json:"addr_format"`
	SrcAddr    *string     `json:"src_addr"`
	DestAddr   *string     `json:"dest_addr"`
	Tx         *TxAttr     `json:"tx_attr"`
	Rx         *RxAttr     `json:"rx_attr"`
	EP         *EPAttr     `json:"ep_attr"`
	Domain     *DomainAttr `json:"domain_attr"`
	Fabric     *FabricAttr `json:"fabric_attr"`
	NIC        *nicJSON    `json:"nic"`
}

type nicJSON struct {
	Device struct {
		Name          string `json:"name"`
		DeviceID      string `json:"device_id"`
		DeviceVersion string `json:"device_version"`
		VendorID      string `json:"vendor_id"`
		Driver        string `json:"driver"`
		Firmware      string `json:"firmware"`
	} `json:"device_attr"`
	Bus struct {
		Type string `json:"bus_type"`
		Addr string `json:"address"`
	} `json:"bus_attr"`
	Link struct {
		Address     string `json:"address"`
		MTU         int    `json:"mtu"`
		Speed       uint64 `json:"speed"`
		State       string `json:"state"`
		NetworkType string `json:"network_type"`
	} `json:"link_attr"`
}

// MarshalJSON gives an object with libfabric's field names, "schema" ([SchemaVersion]) first: sets are arrays of C names,
// enumerations are C names, addresses are text as [FormatAddr] gives it (with the IPv6 zone), sizes are numbers up to
// 2^64-1. Keys are secrets and left out.
func (i Info) MarshalJSON() ([]byte, error) {
	j := i.shallowHints().toJSON()
	if n := i.NIC; n != nil {
		j.NIC = &nicJSON{}
		d, b, l := &j.NIC.Device, &j.NIC.Bus, &j.NIC.Link
		d.Name, d.DeviceID, d.DeviceVersion = n.Name, n.DeviceID, n.DeviceVersion
		d.VendorID, d.Driver, d.Firmware = n.VendorID, n.Driver, n.Firmware
		b.Type, b.Addr = n.BusType, n.BusAddr
		l.Address, l.MTU, l.Speed, l.State, l.NetworkType = n.LinkAddr, n.MTU, n.Speed, n.LinkState, n.NetworkType
	}
	return json.Marshal(j)
}

// UnmarshalJSON reads what MarshalJSON writes; unknown fields are ignored, a newer schema is an error, and so is any
// unknown name. On an error i is unchanged, and by null too.
func (i *Info) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	h, j, err := readInfoJSON(data)
	if err != nil {
		return err
	}
	c := h.filled()
	if j.NIC != nil {
		d, b, l := &j.NIC.Device, &j.NIC.Bus, &j.NIC.Link
		c.NIC = &NIC{Name: d.Name, DeviceID: d.DeviceID, DeviceVersion: d.DeviceVersion, VendorID: d.VendorID,
			Driver: d.Driver, Firmware: d.Firmware, BusType: b.Type, BusAddr: b.Addr, LinkAddr: l.Address, MTU: l.MTU,
			Speed: l.Speed, LinkState: l.State, NetworkType: l.NetworkType}
	}
	*i = *c
	return nil
}

// MarshalJSON gives the form of [Info.MarshalJSON]; absent attributes are null, and there is no device.
func (h Hints) MarshalJSON() ([]byte, error) { return json.Marshal(h.toJSON()) }

// UnmarshalJSON reads what MarshalJSON writes, also an [Info]: that asks for the same again. On an error h is unchanged,
// and by null too.
func (h *Hints) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	c, _, err := readInfoJSON(data)
	if err == nil {
		*h = *c
	}
	return err
}

func (h *Hints) toJSON() *infoJSON {
	return &infoJSON{Schema: SchemaVersion, Caps: h.Caps, Mode: h.Mode, AddrFormat: h.AddrFormat,
		SrcAddr: addrToJSON(h.AddrFormat, h.SrcAddr), DestAddr: addrToJSON(h.AddrFormat, h.DestAddr), Tx: h.Tx, Rx: h.Rx,
		EP: h.EP, Domain: h.Domain, Fabric: h.Fabric}
}

func readInfoJSON(data []byte) (*Hints, *infoJSON, error) {
	var j infoJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return nil, nil, err
	}
	if j.Schema > SchemaVersion {
		return nil, nil, fmt.Errorf("fi: schema %d is newer than %d: %w", j.Schema, SchemaVersion, ErrInvalid)
	}
	h := &Hints{Caps: j.Caps, Mode: j.Mode, AddrFormat: j.AddrFormat, Tx: j.Tx, Rx: j.Rx, EP: j.EP, Domain: j.Domain,
		Fabric: j.Fabric}
	var err error
	if h.SrcAddr, err = addrFromJSON(j.AddrFormat, j.SrcAddr); err != nil {
		return nil, nil, err
	}
	if h.DestAddr, err = addrFromJSON(j.AddrFormat, j.DestAddr); err != nil {
		return nil, nil, err
	}
	return h, &j, nil
}

func addrToJSON(format AddrFormat, raw []byte) *string {
	if len(raw) == 0 {
		return nil
	}
	s := formatZoned(format, raw)
	return &s
}

// addrFromJSON undoes addrToJSON: the text of an FI_ADDR_STR address is the address, whatever it looks like.
func addrFromJSON(format AddrFormat, s *string) ([]byte, error) {
	if s == nil || *s == "" {
		return nil, nil
	}
	if format == AddrFormatStr {
		return []byte(*s), nil
	}
	_, raw, err := ParseAddr(*s)
	return raw, err
}
