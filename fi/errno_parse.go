package fi

import (
	"strconv"
	"strings"
)

// ParseErrno reads a name in any case, with or without FI_ ("FI_EAGAIN", "eagain"), or a number in C's notation, whose
// sign does not count: calls of libfabric return negative ones. A bare name that is both an errno and one of
// libfabric's own, as ENOKEY, is the errno. The error is a [*WordError].
func ParseErrno(s string) (Errno, error) {
	w := strings.ToUpper(strings.TrimSpace(s))
	switch w {
	case "FI_EWOULDBLOCK", "EWOULDBLOCK":
		return ErrAgain, nil
	}
	for _, same := range []func(name string) bool{
		func(name string) bool { return name == w },
		func(name string) bool { return name == "FI_"+w || "FI_"+name == w },
	} {
		for i, t := range sysErrnoTexts {
			if t.name != "" && same(t.name) {
				return Errno(i), nil
			}
		}
		for i, t := range ownErrnoTexts {
			if same(t.name) {
				return Errno(ownErrnoOffset + i), nil
			}
		}
	}
	if n, err := strconv.ParseInt(w, 0, 64); err == nil && max(n, -n) >= 0 && n == int64(Errno(n)) {
		return Errno(max(n, -n)), nil
	}
	return 0, unknownErrno(s)
}

func unknownErrno(s string) error {
	var names []string
	for _, t := range sysErrnoTexts {
		if t.name != "" {
			names = append(names, t.name)
		}
	}
	for _, t := range ownErrnoTexts {
		names = append(names, t.name)
	}
	return &WordError{Kind: "error number", Word: strings.TrimSpace(s), Nearest: Suggest(s, names)}
}
