package wire

import (
	"fmt"
	"strconv"
	"strings"
)

// frameHead is the length of a PMI-2 frame's head: the length of the body, decimal, with blanks beside it.
const frameHead = 6

// AppendFrame appends m as a frame of PMI-2: six characters of length and "cmd=name;key=value;". A value ends at a
// semicolon; the caller encodes what has one.
func AppendFrame(dst []byte, m Message) []byte {
	n := len("cmd=;") + len(m.Cmd)
	for _, a := range m.Args {
		n += len(a.Key) + len(a.Value) + len("=;")
	}
	dst = fmt.Appendf(dst, "%*dcmd=%s;", frameHead, n, m.Cmd)
	for _, a := range m.Args {
		dst = append(dst, a.Key...)
		dst = append(dst, '=')
		dst = append(dst, a.Value...)
		dst = append(dst, ';')
	}
	return dst
}

// ParseFrame reads the body of a frame of PMI-2.
func ParseFrame(body string) (Message, error) {
	var m Message
	for pair := range strings.SplitSeq(body, ";") {
		key, value, ok := strings.Cut(pair, "=")
		switch {
		case !ok:
		case key == "cmd" && m.Cmd == "":
			m.Cmd = value
		default:
			m.Args = append(m.Args, Arg{key, value})
		}
	}
	if m.Cmd == "" {
		return m, fmt.Errorf("PMI-2 frame %q has no cmd=", clip(body))
	}
	return m, nil
}

// frameLength reads a head: servers put the blanks on either side.
func frameLength(head string) (int, error) {
	n, err := strconv.ParseUint(strings.TrimSpace(head), 10, 32)
	if err != nil {
		return 0, fmt.Errorf("PMI-2 length %q is not a number", head)
	}
	return int(n), nil
}
