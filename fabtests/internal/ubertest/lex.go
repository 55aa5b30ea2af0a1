package ubertest

import (
	"fmt"
	"strings"

	"github.com/gofabric/gofabric/fi"
)

// token is a word or a sign of a configuration file.
type token struct {
	text   string
	line   int
	quoted bool
}

// sign tells whether a token is one of { } [ ] : and the comma.
func (t token) sign(s string) bool { return !t.quoted && t.text == s }

// signs stand for themselves, wherever they are.
const signs = "{}[]:,"

// end is what the last token is: a word that no file has.
const end = "\x00"

// tokens reads a file: JSON whose words need no quotation marks.
func tokens(text string) ([]token, error) {
	var out []token
	line := 1
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '\n':
			line++
			i++
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case strings.IndexByte(signs, c) >= 0:
			out = append(out, token{text: text[i : i+1], line: line})
			i++
		case c == '"':
			n := strings.IndexByte(text[i+1:], '"')
			if n < 0 {
				return nil, at(line, "a quotation mark without its end")
			}
			out = append(out, token{text: text[i+1 : i+1+n], line: line, quoted: true})
			line += strings.Count(text[i+1:i+1+n], "\n")
			i += n + 2
		case c < ' ' || c > '~':
			return nil, at(line, "a byte %#02x outside of quotation marks", c)
		default:
			n := strings.IndexAny(text[i:], signs+" \t\r\n\"")
			if n < 0 {
				n = len(text) - i
			}
			out = append(out, token{text: text[i : i+n], line: line})
			i += n
		}
	}
	return append(out, token{text: end, line: line}), nil
}

// lineError is what is wrong with a line of a file.
type lineError struct {
	line int
	text string
}

func at(line int, format string, args ...any) error {
	return &lineError{line, fmt.Sprintf(format, args...)}
}

// Error names the line.
func (e *lineError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.text) }

// Unwrap gives fi.ErrInvalid.
func (e *lineError) Unwrap() error { return fi.ErrInvalid }
