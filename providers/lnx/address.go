package lnx

import (
	"encoding/hex"
	"slices"
	"strings"

	"github.com/gofabric/gofabric/fi"
)

// prefix begins every address: fi_lnx://1/HOST/shm=HEX/tcp=HEX, FI_ADDR_STR.
const prefix = "fi_lnx://"

// version is the first part of an address: what its links speak is theirs to agree on.
const version = "1"

// maxAddr is the longest address in bytes; a link's has at most maxLinkAddr.
const (
	maxAddr     = 1024
	maxLinkAddr = 256
)

// address is what a peer is reached by.
type address struct {
	host  string // 16 hexadecimal digits
	links []linkAddr
}

// linkAddr is an address of a link's provider.
type linkAddr struct {
	prov string
	raw  []byte
}

// on gives the address on a link; nil when there is none.
func (a *address) on(prov string) []byte {
	for _, l := range a.links {
		if l.prov == prov {
			return l.raw
		}
	}
	return nil
}

// add puts the address on a link behind those that are there; one that is empty is none.
func (a *address) add(prov string, raw []byte) {
	if len(raw) > 0 {
		a.links = append(a.links, linkAddr{prov, raw})
	}
}

// bytes gives the address in its canonical form, with the links in the order of their names; nil when there are none.
func (a *address) bytes() []byte {
	if len(a.links) == 0 {
		return nil
	}
	b := []byte(prefix + version + "/" + a.host)
	for _, l := range slices.SortedFunc(slices.Values(a.links), func(x, y linkAddr) int { return strings.Compare(x.prov, y.prov) }) {
		b = append(b, '/')
		b = append(b, l.prov...)
		b = append(b, '=')
		b = hex.AppendEncode(b, l.raw)
	}
	return b
}

// parseAddress reads the address at the beginning of a buffer that may be longer, and end in zeros.
func parseAddress(raw []byte) (*address, error) {
	s := string(raw[:min(len(raw), maxAddr+1)])
	if i := strings.IndexByte(s, 0); i >= 0 {
		s = s[:i]
	}
	rest, ok := strings.CutPrefix(s, prefix)
	if !ok || len(s) > maxAddr {
		return nil, badAddress("it does not begin with " + prefix)
	}
	parts := strings.Split(rest, "/")
	if parts[0] != version {
		return nil, badAddress("it is of another version of this library: both sides must have one that knows version " + version)
	}
	if len(parts) < 3 || len(parts) > 2+maxLinks || !isHost(parts[1]) {
		return nil, badAddress("it is cut off, or no address")
	}
	a := &address{host: parts[1]}
	for _, p := range parts[2:] {
		prov, text, _ := strings.Cut(p, "=")
		s, why := parseSet(prov)
		link, err := hex.DecodeString(text)
		if why != "" || len(s) != 1 || s[0].prov != prov || err != nil || len(link) == 0 || len(link) > maxLinkAddr || a.on(prov) != nil {
			return nil, badAddress("it is cut off, or no address")
		}
		a.add(prov, link)
	}
	return a, nil
}

func isHost(s string) bool {
	return len(s) == len(noHost) && strings.Trim(s, "0123456789abcdef") == ""
}

func badAddress(why string) error {
	return &fi.Error{Op: "addr", Provider: Name, Err: fi.ErrInvalid,
		Hint: why + ": addresses come from Endpoint.Name of a peer, or from AV.InsertSvc, with this provider on both sides"}
}
