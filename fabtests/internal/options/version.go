package options

import (
	"fmt"
	"strconv"
	"strings"
)

// Version is a version of libfabric, major times 100 plus minor. 0 is none that is known.
type Version int

// String gives it as 1.22.
func (v Version) String() string { return fmt.Sprintf("%d.%d", int(v)/100, int(v)%100) }

// ParseVersion reads "1.22", or "2.6.0", of which the last number says nothing.
func ParseVersion(s string) (Version, error) {
	part := strings.Split(strings.TrimPrefix(s, "v"), ".")
	if len(part) < 2 || len(part) > 3 {
		return 0, Bad(s, "a version of libfabric, as 1.22")
	}
	var n [2]uint64
	for i := range n {
		var err error
		if n[i], err = strconv.ParseUint(part[i], 10, 7); err != nil || n[i] > 99 {
			return 0, Bad(s, "a version of libfabric, as 1.22")
		}
	}
	if n[0] == 0 {
		return 0, Bad(s, "a version of libfabric, as 1.22")
	}
	return Version(n[0]*100 + n[1]), nil
}

// set is the parser's function for an option.
func (v *Version) set(s string) error {
	got, err := ParseVersion(s)
	*v = got
	return err
}
