package fi

import (
	"errors"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// StrAddr is an address in libfabric's text form (FI_ADDR_STR, fi_getinfo(3)):
// "format://node:service/path?key=value&key=value", of which only the format must be there.
type StrAddr struct {
	Format  string            // "fi_shm", "fi_sockaddr_in"; lower case
	Node    string            // without the brackets of an IPv6 address
	Service string            // may hold further colons
	Path    string            // without the first slash
	Params  map[string]string // nil when there are none
}

// longestStrAddr bounds the addresses that are parsed, in bytes.
const longestStrAddr = 4096

// ParseStrAddr takes an address apart. There are no escapes. An IPv6 node has brackets, unless the service is absent.
// The error is [ErrInvalid].
func ParseStrAddr(s string) (StrAddr, error) {
	a, err := parseStrAddr(s)
	if err != nil {
		return StrAddr{}, addrError(strconv.Quote(s[:min(len(s), longestSuggestion)]), err.Error())
	}
	return a, nil
}

func parseStrAddr(s string) (StrAddr, error) {
	if len(s) > longestStrAddr {
		return StrAddr{}, errors.New("longer than " + strconv.Itoa(longestStrAddr) + " bytes")
	}
	if strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return StrAddr{}, errors.New("blanks and control characters are not allowed")
	}
	format, rest, ok := strings.Cut(s, "://")
	if !ok || format == "" || strings.ContainsFunc(format, notSchemeChar) {
		return StrAddr{}, errors.New("must start with a format and ://")
	}
	a := StrAddr{Format: strings.ToLower(format)}
	rest, query, hasQuery := strings.Cut(rest, "?")
	rest, a.Path, _ = strings.Cut(rest, "/")
	if err := a.setNode(rest); err != nil {
		return StrAddr{}, err
	}
	if !hasQuery || query == "" {
		return a, nil
	}
	a.Params = map[string]string{}
	for p := range strings.SplitSeq(query, "&") {
		k, v, ok := strings.Cut(p, "=")
		if !ok || k == "" {
			return StrAddr{}, errors.New("parameters must be key=value")
		}
		if _, dup := a.Params[k]; dup {
			return StrAddr{}, errors.New("parameter " + k + " is given twice")
		}
		a.Params[k] = v
	}
	return a, nil
}

// setNode reads node and service: "[v6]:service", "node:service", or an IPv6 address alone.
func (a *StrAddr) setNode(s string) error {
	if v6, ok := strings.CutPrefix(s, "["); ok {
		node, rest, ok := strings.Cut(v6, "]")
		if !ok || strings.Contains(node, "[") || strings.ContainsAny(rest, "[]") || rest != "" && rest[0] != ':' {
			return errors.New("brackets must hold the node alone")
		}
		a.Node, a.Service = node, strings.TrimPrefix(rest, ":")
		return nil
	}
	if strings.ContainsAny(s, "[]") {
		return errors.New("brackets must hold the node alone")
	}
	if strings.Count(s, ":") > 1 {
		if ip, err := netip.ParseAddr(s); err == nil && ip.Is6() {
			a.Node = s
			return nil
		}
	}
	a.Node, a.Service, _ = strings.Cut(s, ":")
	return nil
}

func notSchemeChar(r rune) bool {
	return r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
}

// String puts the address together again, with the parameters in the order of their keys.
func (a StrAddr) String() string {
	var b strings.Builder
	b.WriteString(a.Format + "://")
	place := a.Node
	if a.Service != "" {
		place += ":" + a.Service
	}
	if _, err := netip.ParseAddr(place); strings.Contains(a.Node, ":") || a.Service != "" && err == nil {
		place = "[" + a.Node + "]" + strings.TrimPrefix(place, a.Node)
	}
	b.WriteString(place)
	if a.Path != "" {
		b.WriteString("/" + a.Path)
	}
	sep := "?"
	for _, k := range slices.Sorted(maps.Keys(a.Params)) {
		b.WriteString(sep + k + "=" + a.Params[k])
		sep = "&"
	}
	return b.String()
}

// addrPort is the IP address and port that a holds, for one of the socket formats.
func (a *StrAddr) addrPort(format AddrFormat) (netip.AddrPort, error) {
	ip := netip.IPv4Unspecified()
	if format == AddrFormatSockaddr6 {
		ip = netip.IPv6Unspecified()
	}
	if a.Node != "" {
		var err error
		if ip, err = netip.ParseAddr(a.Node); err != nil {
			return netip.AddrPort{}, errors.New("the node must be an IP address")
		}
	}
	if format == AddrFormatSockaddrIn && !ip.Is4() || format == AddrFormatSockaddr6 && !ip.Is6() {
		return netip.AddrPort{}, errors.New("the node is of another family than " + format.String())
	}
	var port uint64
	if a.Service != "" {
		var err error
		if port, err = strconv.ParseUint(a.Service, 10, 16); err != nil {
			return netip.AddrPort{}, errors.New("the service must be a port number")
		}
	}
	return netip.AddrPortFrom(ip, uint16(port)), nil
}
