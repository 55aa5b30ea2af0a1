package fi

import (
	"bytes"
	"encoding/hex"
	"net/netip"
	"strings"
)

// FormatAddr gives the text of a raw address as fi_av_straddr and fi_info do: "fi_sockaddr_in://192.0.2.2:0",
// "fi_sockaddr_in6://[fe80::1]:0" (without the zone), "fi_shm://name" for FI_ADDR_STR, "(null)" for none. Formats that no
// provider here uses, and bytes that do not fit their format, are shown in hexadecimal: "fi_addr_efa://0x0102".
func FormatAddr(format AddrFormat, raw []byte) string {
	switch format {
	case AddrFormatSockaddr, AddrFormatSockaddrIP, AddrFormatSockaddrIn, AddrFormatSockaddr6:
		if ap, err := DecodeSockaddr(raw); err == nil {
			return sockaddrText(netip.AddrPortFrom(ap.Addr().WithZone(""), ap.Port()))
		}
	}
	return formatOther(format, raw)
}

// formatZoned is FormatAddr with the zone, so that [ParseAddr] gives the same bytes again.
func formatZoned(format AddrFormat, raw []byte) string {
	switch format {
	case AddrFormatSockaddr, AddrFormatSockaddrIP, AddrFormatSockaddrIn, AddrFormatSockaddr6:
		if ap, err := DecodeSockaddr(raw); err == nil {
			return sockaddrText(ap)
		}
	}
	return formatOther(format, raw)
}

func sockaddrText(ap netip.AddrPort) string {
	if ap.Addr().Is4() {
		return "fi_sockaddr_in://" + ap.String()
	}
	return "fi_sockaddr_in6://" + ap.String()
}

func formatOther(format AddrFormat, raw []byte) string {
	if len(raw) == 0 {
		return "(null)"
	}
	if format == AddrFormatStr {
		s, _, _ := bytes.Cut(raw, []byte{0})
		return string(s)
	}
	scheme := "fi_format_unspec"
	for _, w := range addrFormatWords.words {
		if w.val == format {
			scheme = strings.ToLower(w.name)
		}
	}
	return scheme + "://0x" + hex.EncodeToString(raw)
}

// ParseAddr reads the text of an address and gives its raw form: what [FormatAddr] prints, also with an IPv6 zone. The
// port of an IP address may be left out, and the address itself too: "fi_sockaddr_in://:7471" is any address. A scheme
// that names no raw format ("fi_shm://...") makes an FI_ADDR_STR address of the text as it is. Names of hosts are not
// looked up. The error is [ErrInvalid].
func ParseAddr(s string) (AddrFormat, []byte, error) {
	u, err := ParseStrAddr(s)
	if err != nil {
		return 0, nil, err
	}
	format, err := addrFormatWords.find(u.Format)
	if err != nil || format == AddrFormatStr || !strings.HasPrefix(u.Format, "fi_") {
		return AddrFormatStr, []byte(s), nil
	}
	if digits, ok := strings.CutPrefix(u.Node, "0x"); ok {
		raw, err := hex.DecodeString(digits)
		if err != nil || len(raw) == 0 {
			return 0, nil, addrError(s, "0x must be followed by whole bytes in hexadecimal")
		}
		return format, raw, nil
	}
	switch format {
	case AddrFormatSockaddr, AddrFormatSockaddrIP, AddrFormatSockaddrIn, AddrFormatSockaddr6:
		ap, err := u.addrPort(format)
		if err != nil {
			return 0, nil, addrError(s, err.Error())
		}
		return EncodeSockaddr(ap)
	}
	return 0, nil, addrError(s, "of "+format.String()+" only hexadecimal (0x...) is understood")
}
