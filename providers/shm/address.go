package shm

import (
	"crypto/rand"
	"encoding/hex"
	"strings"
	"unicode"

	"github.com/gofabric/gofabric/fi"
)

// prefix begins every address: fi_shm://NAME, FI_ADDR_STR.
const prefix = "fi_shm://"

// maxName is the longest name: it becomes part of a socket's name, of which the system takes 107 bytes.
const maxName = 64

// address is what a node of this host and a service stand for: a node that is an address itself, or the service as a
// name, or the node's when there is no service.
func address(node, service string) string {
	switch {
	case strings.HasPrefix(node, prefix):
		return node
	case service != "":
		return prefix + service
	}
	return prefix + node
}

// randomName is the default: a pid would not do, since all containers of a pod may be pid 1.
func randomName() string {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// checkAddr gives the address at the beginning of a buffer that may be longer, and end in zeros.
func checkAddr(raw []byte) ([]byte, error) {
	s := string(raw)
	if i := strings.IndexByte(s, 0); i >= 0 {
		s = s[:i]
	}
	name, ok := strings.CutPrefix(s, prefix)
	if !ok || name == "" || len(name) > maxName || strings.ContainsFunc(name, notInName) {
		return nil, &fi.Error{Op: "addr", Provider: Name, Err: fi.ErrInvalid,
			Hint: "addresses are " + prefix + "NAME, a name of 1 to 64 bytes without / and control characters: they come from Endpoint.Name of a peer, or from AV.InsertSvc, with this provider on both sides"}
	}
	return []byte(s), nil
}

// notInName tells what would make a name part of a path, or move the cursor of a terminal that shows it.
func notInName(r rune) bool { return r == '/' || unicode.IsControl(r) }

// nameOf is the name in a checked address.
func nameOf(raw []byte) string { return string(raw[len(prefix):]) }
