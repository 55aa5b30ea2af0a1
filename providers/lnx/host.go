package lnx

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strconv"
	"strings"
)

// hostID is what tells this host from others: processes with the same one can reach each other by links that do not leave
// the host, or so it seems until they connect. name is FI_LNX_HOST. It has 16 hexadecimal digits.
func hostID(name string) string {
	var sum [sha256.Size]byte
	if name != "" {
		sum = sha256.Sum256([]byte("name " + name))
	} else {
		sum = sha256.Sum256([]byte(strings.Join(append(hostMarks(), strconv.Itoa(os.Getuid())), "\n")))
	}
	return hex.EncodeToString(sum[:8])
}

// noHost stands for a host that is not known to be ours.
const noHost = "0000000000000000"
