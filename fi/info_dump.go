package fi

import (
	"io"
	"strconv"
	"strings"
)

// Detail says how much of an [Info] is shown.
type Detail int

// Details.
const (
	DetailList    Detail = 0 // provider and version: fi_info -l
	DetailShort   Detail = 1 // six lines: fi_info
	DetailVerbose Detail = 2 // everything: fi_info -v, less the line of dashes between entries
)

const indent = "    "

// Dump gives the text that libfabric 2.6's fi_info prints for an entry, newline at the end included. Keys are secrets:
// only their sizes are shown.
func (i *Info) Dump(d Detail) string {
	var b strings.Builder
	f := &i.Fabric
	switch d {
	case DetailList:
		b.WriteString(orNull(f.ProvName) + ":\n")
		writeFields(&b, indent, []field{{"version", f.ProvVersion}})
	case DetailShort:
		writeFields(&b, "", []field{{"provider", f.ProvName}})
		writeFields(&b, indent, []field{
			{"fabric", f.Name}, {"domain", i.Domain.Name}, {"version", f.ProvVersion}, {"type", i.EP.Type},
			{"protocol", i.EP.Protocol},
		})
	default:
		i.shallowHints().dump(&b, i.NIC)
	}
	return b.String()
}

// WriteTo writes the verbose text (io.WriterTo).
func (i *Info) WriteTo(w io.Writer) (int64, error) {
	n, err := io.WriteString(w, i.Dump(DetailVerbose))
	return int64(n), err
}

// String is one line: the provider, the type and protocol of the endpoint, the domain, and the addresses that there are.
func (i *Info) String() string {
	s := orNull(i.Fabric.ProvName) + ": " + i.EP.Type.String() + ", " + i.EP.Protocol.String() + ", domain " +
		orNull(i.Domain.Name)
	if len(i.SrcAddr) > 0 {
		s += ", " + FormatAddr(i.AddrFormat, i.SrcAddr)
	}
	if len(i.DestAddr) > 0 {
		s += " to " + FormatAddr(i.AddrFormat, i.DestAddr)
	}
	return s
}

// String is one line: each hint that is given, by its C name; "any" when there is none.
func (h *Hints) String() string {
	if h == nil {
		return "any"
	}
	parts := oneLine("", h.fields()[:3])
	for _, a := range []struct{ name, addr string }{
		{"src_addr=", FormatAddr(h.AddrFormat, h.SrcAddr)}, {"dest_addr=", FormatAddr(h.AddrFormat, h.DestAddr)},
	} {
		if a.addr != "(null)" {
			parts = append(parts, a.name+a.addr)
		}
	}
	for _, a := range h.attrs() {
		parts = append(parts, oneLine(strings.TrimPrefix(a.name, "fi_")+".", a.fields)...)
	}
	if len(parts) == 0 {
		return "any"
	}
	return strings.Join(parts, " ")
}

func (h *Hints) fields() []field {
	return []field{
		{"caps", h.Caps}, {"mode", h.Mode}, {"addr_format", h.AddrFormat}, {"src_addrlen", len(h.SrcAddr)},
		{"dest_addrlen", len(h.DestAddr)}, {"src_addr", FormatAddr(h.AddrFormat, h.SrcAddr)},
		{"dest_addr", FormatAddr(h.AddrFormat, h.DestAddr)}, {"handle", pointer{}},
	}
}

// attr is a structure below an Info or Hints; its fields are nil when it is absent.
type attr struct {
	name   string
	fields []field
}

func (h *Hints) attrs() []attr {
	list := []attr{{"fi_tx_attr", nil}, {"fi_rx_attr", nil}, {"fi_ep_attr", nil}, {"fi_domain_attr", nil},
		{"fi_fabric_attr", nil}}
	if h.Tx != nil {
		list[0].fields = h.Tx.fields()
	}
	if h.Rx != nil {
		list[1].fields = h.Rx.fields()
	}
	if h.EP != nil {
		list[2].fields = h.EP.fields()
	}
	if h.Domain != nil {
		list[3].fields = h.Domain.fields()
	}
	if h.Fabric != nil {
		list[4].fields = h.Fabric.fields()
	}
	return list
}

func (h *Hints) dump(b *strings.Builder, nic *NIC) {
	b.WriteString("fi_info:\n")
	writeFields(b, indent, h.fields())
	for _, a := range h.attrs() {
		a.dump(b, indent)
	}
	nic.dump(b, indent)
}

func (a attr) dump(b *strings.Builder, prefix string) {
	if a.fields == nil {
		b.WriteString(prefix + a.name + ": (null)\n")
		return
	}
	b.WriteString(prefix + a.name + ":\n")
	writeFields(b, prefix+indent, a.fields)
}

func writeFields(b *strings.Builder, prefix string, fields []field) {
	for _, f := range fields {
		b.WriteString(prefix + f.name + ": " + fieldText(f.val) + "\n")
	}
}

func (n *NIC) dump(b *strings.Builder, prefix string) {
	if n == nil {
		b.WriteString(prefix + "nic: (nil)\n")
		return
	}
	b.WriteString(prefix + "nic:\n")
	for _, a := range n.attrs() {
		a.dump(b, prefix+indent)
		if pci, ok := n.pciFields(); ok && a.name == "fi_bus_attr" {
			attr{"fi_pci_attr", pci}.dump(b, prefix+indent+indent)
		}
	}
}

func (n *NIC) attrs() []attr {
	bus, state := n.BusType, n.LinkState
	if bus == "" {
		bus = "FI_BUS_UNKNOWN"
	}
	if state == "" {
		state = "FI_LINK_UNKNOWN"
	}
	return []attr{
		{"fi_device_attr", []field{
			{"name", n.Name}, {"device_id", n.DeviceID}, {"device_version", n.DeviceVersion},
			{"vendor_id", n.VendorID}, {"driver", n.Driver}, {"firmware", n.Firmware},
		}},
		{"fi_bus_attr", []field{{"bus_type", bus}}},
		{"fi_link_attr", []field{
			{"address", n.LinkAddr}, {"mtu", n.MTU}, {"speed", n.Speed}, {"state", state},
			{"network_type", n.NetworkType},
		}},
	}
}

// pciFields takes a PCI address, "0000:03:00.0" in hexadecimal, apart into the numbers that libfabric prints.
func (n *NIC) pciFields() ([]field, bool) {
	parts := strings.FieldsFunc(n.BusAddr, func(r rune) bool { return r == ':' || r == '.' })
	names := [...]string{"domain_id", "bus_id", "device_id", "function_id"}
	if n.BusType != "FI_BUS_PCI" || len(parts) != len(names) {
		return nil, false
	}
	var list []field
	for k, p := range parts {
		v, err := strconv.ParseUint(p, 16, 16)
		if err != nil {
			return nil, false
		}
		list = append(list, field{names[k], v})
	}
	return list, true
}
