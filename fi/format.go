package fi

import (
	"fmt"
	"io"
	"strings"
)

// Format prints the verbose text for %+v and the line of String for other verbs; %#v is Go's own form.
func (i *Info) Format(f fmt.State, verb rune) {
	type plain Info
	switch {
	case i == nil:
		io.WriteString(f, "<nil>")
	case verb == 'v' && f.Flag('#'):
		fmt.Fprintf(f, "&%#v", plain(*i))
	case verb == 'v' && f.Flag('+'):
		io.WriteString(f, i.Dump(DetailVerbose))
	default:
		io.WriteString(f, i.String())
	}
}

// Format prints all fields, one a line as fi_info does, for %+v and the line of String for other verbs; %#v is Go's own
// form.
func (h *Hints) Format(f fmt.State, verb rune) {
	type plain Hints
	switch {
	case verb == 'v' && f.Flag('#') && h != nil:
		fmt.Fprintf(f, "&%#v", plain(*h))
	case verb == 'v' && f.Flag('+') && h != nil:
		var b strings.Builder
		h.dump(&b, nil)
		io.WriteString(f, b.String())
	default:
		io.WriteString(f, h.String())
	}
}

// formatAttr prints a structure as libfabric does for %+v, and the fields that are not zero on one line for other verbs.
func formatAttr(f fmt.State, verb rune, a attr, plain any) {
	switch {
	case verb == 'v' && f.Flag('#'):
		fmt.Fprintf(f, "%#v", plain)
	case verb == 'v' && f.Flag('+'):
		var b strings.Builder
		a.dump(&b, "")
		io.WriteString(f, b.String())
	default:
		io.WriteString(f, "{"+strings.Join(oneLine("", a.fields), " ")+"}")
	}
}

// Format prints all fields, one a line, for %+v; those that are not zero, on one line, for other verbs.
func (a TxAttr) Format(f fmt.State, verb rune) {
	type plain TxAttr
	formatAttr(f, verb, attr{"fi_tx_attr", a.fields()}, plain(a))
}

// Format prints all fields, one a line, for %+v; those that are not zero, on one line, for other verbs.
func (a RxAttr) Format(f fmt.State, verb rune) {
	type plain RxAttr
	formatAttr(f, verb, attr{"fi_rx_attr", a.fields()}, plain(a))
}

// Format prints all fields, one a line, for %+v; those that are not zero, on one line, for other verbs. The key is not
// shown, but by %#v.
func (a EPAttr) Format(f fmt.State, verb rune) {
	type plain EPAttr
	formatAttr(f, verb, attr{"fi_ep_attr", a.fields()}, plain(a))
}

// Format prints all fields, one a line, for %+v; those that are not zero, on one line, for other verbs. The key is not
// shown, but by %#v.
func (a DomainAttr) Format(f fmt.State, verb rune) {
	type plain DomainAttr
	formatAttr(f, verb, attr{"fi_domain_attr", a.fields()}, plain(a))
}

// Format prints all fields, one a line, for %+v; those that are not zero, on one line, for other verbs.
func (a FabricAttr) Format(f fmt.State, verb rune) {
	type plain FabricAttr
	formatAttr(f, verb, attr{"fi_fabric_attr", a.fields()}, plain(a))
}

// String is one line: the fields that are not zero.
func (a CQAttr) String() string { return "{" + strings.Join(oneLine("", a.fields()), " ") + "}" }

// Format prints all fields, one a line, for %+v; those that are not zero, on one line, for other verbs.
func (a CounterAttr) Format(f fmt.State, verb rune) {
	type plain CounterAttr
	formatAttr(f, verb, attr{"fi_cntr_attr", a.fields()}, plain(a))
}

// Format prints all fields, one a line, for %+v; those that are not zero, on one line, for other verbs.
func (a AVAttr) Format(f fmt.State, verb rune) {
	type plain AVAttr
	formatAttr(f, verb, attr{"fi_av_attr", a.fields()}, plain(a))
}

// Format prints all fields, one a line, for %+v; those that are not zero, on one line, for other verbs. The memory's
// contents are not shown, but by %#v.
func (a MRAttr) Format(f fmt.State, verb rune) {
	type plain MRAttr
	formatAttr(f, verb, attr{"fi_mr_attr", a.fields()}, plain(a))
}

// Format prints all fields, one a line as fi_info does, for %+v; the device's name and address for other verbs.
func (n *NIC) Format(f fmt.State, verb rune) {
	type plain NIC
	switch {
	case n == nil:
		io.WriteString(f, "<nil>")
	case verb == 'v' && f.Flag('#'):
		fmt.Fprintf(f, "&%#v", plain(*n))
	case verb == 'v' && f.Flag('+'):
		var b strings.Builder
		n.dump(&b, "")
		io.WriteString(f, b.String())
	default:
		io.WriteString(f, strings.TrimSpace(n.Name+" "+n.BusAddr))
	}
}
