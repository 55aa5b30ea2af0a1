package wire

import (
	"fmt"
	"strings"
)

// AppendLine appends m as a line of PMI-1: "cmd=name key=value key=value\n". A value ends at a blank, so that texts which
// are not [Plain] do not survive the way; the caller encodes them.
func AppendLine(dst []byte, m Message) []byte {
	dst = append(dst, "cmd="...)
	dst = append(dst, m.Cmd...)
	for _, a := range m.Args {
		dst = append(dst, ' ')
		dst = append(dst, a.Key...)
		dst = append(dst, '=')
		dst = append(dst, a.Value...)
	}
	return append(dst, '\n')
}

// ParseLine reads a line of PMI-1, without its line end. Words without "=" and pairs that nobody asks for are legal:
// servers differ in what they add. A line without a command is not.
func ParseLine(line string) (Message, error) {
	var m Message
	for word := range strings.FieldsSeq(line) {
		key, value, _ := strings.Cut(word, "=")
		if (key == "cmd" || key == "mcmd") && m.Cmd == "" {
			m.Cmd = value
			continue
		}
		m.Args = append(m.Args, Arg{key, value})
	}
	if m.Cmd == "" {
		return m, fmt.Errorf("PMI-1 line %q has no cmd=", clip(line))
	}
	return m, nil
}

// Plain says whether s can be a value on every wire: printable ASCII without blank, "=", ";" and backslash.
func Plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || c == '=' || c == ';' || c == '\\' {
			return false
		}
	}
	return true
}

// clip cuts what an error quotes.
func clip(s string) string {
	if len(s) > 80 {
		return s[:80] + "..."
	}
	return s
}
