package hostid

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strconv"
	"strings"
)

// Variable names the environment variable that overrides the identity, so that one machine can stand for several.
const Variable = "FI_LNX_HOST"

// Len is the length of an identity.
const Len = 16

// Of is the identity of this host for this user, or the one of the host that is called name. It has Len hexadecimal digits.
func Of(name string) string {
	var sum [sha256.Size]byte
	if name != "" {
		sum = sha256.Sum256([]byte("name " + name))
	} else {
		sum = sha256.Sum256([]byte(strings.Join(append(marks(), strconv.Itoa(os.Getuid())), "\n")))
	}
	return hex.EncodeToString(sum[:Len/2])
}
