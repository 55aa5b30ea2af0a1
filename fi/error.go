package fi

import "strings"

// Error is what control calls return: which call failed, on what, why, and what to do next. errors.Is sees the [Errno]
// (and whatever else Err holds) through it.
type Error struct {
	Op       string // the libfabric verb, "mr_reg"
	Provider string // "shm"; may be empty
	Object   string // "endpoint fi_shm://a"; may be empty
	Err      error  // an Errno, possibly joined with the error that caused it
	Hint     string // one line: the cause in numbers, or what to do next; may be empty
}

// Error gives "provider: op: object: error (hint)".
func (e *Error) Error() string {
	var parts []string
	for _, s := range []string{e.Provider, e.Op, e.Object} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	if e.Err != nil {
		parts = append(parts, strings.ReplaceAll(e.Err.Error(), "\n", ": "))
	}
	text := strings.Join(parts, ": ")
	if e.Hint != "" {
		text += " (" + e.Hint + ")"
	}
	return text
}

// Unwrap gives Err.
func (e *Error) Unwrap() error { return e.Err }

// Rejection says why a candidate was not offered: which attribute, what was wanted, what there is.
type Rejection struct {
	Provider string // "shm"
	Domain   string // name of the candidate's domain; empty when the whole provider refused
	Attr     string // the hint that did not match: "domain_attr.threading"; "environment" for a variable that cannot be read
	Want     string // as given in the hints
	Have     string // what the provider offers, or the reason in words
	Fix      string // what would change it; may be empty
}

// String gives one line.
func (r Rejection) String() string {
	var b strings.Builder
	b.WriteString(r.Provider)
	if r.Domain != "" {
		b.WriteString(" (" + r.Domain + ")")
	}
	b.WriteString(": ")
	switch {
	case r.Attr != "" && r.Want != "":
		b.WriteString(r.Attr + ": wanted " + r.Want + ", offered " + r.Have)
	case r.Attr != "":
		b.WriteString(r.Attr + ": " + r.Have)
	default:
		b.WriteString(r.Have)
	}
	if r.Fix != "" {
		b.WriteString("; " + r.Fix)
	}
	return b.String()
}
