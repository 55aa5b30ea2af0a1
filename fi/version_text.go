package fi

import (
	"strconv"
	"strings"
)

// String is "2.6".
func (v Version) String() string { return strconv.Itoa(v.Major()) + "." + strconv.Itoa(v.Minor()) }

// MarshalText gives the text of String. It never fails.
func (v Version) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText takes "2.6": two numbers from 0 to 65535.
func (v *Version) UnmarshalText(text []byte) error {
	major, minor, _ := strings.Cut(strings.TrimSpace(string(text)), ".")
	hi, err := strconv.ParseUint(major, 10, 16)
	if err != nil {
		return &WordError{Kind: "version", Word: string(text)}
	}
	lo, err := strconv.ParseUint(minor, 10, 16)
	if err != nil {
		return &WordError{Kind: "version", Word: string(text)}
	}
	*v = Version(hi<<16 | lo)
	return nil
}

// String is the index, or "FI_ADDR_UNSPEC" (which is FI_ADDR_NOTAVAIL too).
func (a Addr) String() string {
	if a == AddrUnspec {
		return "FI_ADDR_UNSPEC"
	}
	return strconv.FormatUint(uint64(a), 10)
}
