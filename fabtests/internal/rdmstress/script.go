package rdmstress

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/gofabric/gofabric/fi"
)

// ops are the words of a script.
var ops = []string{"noop", "hello", "goodbye", "msg_req", "msg_inject_req", "msg_resp", "tag_req", "tag_resp",
	"read_req", "read_resp", "write_req", "write_resp", "sleep", "exit"}

// step is a line of a script.
type step struct {
	Op     string  `json:"op"`
	Size   uint64  `json:"size"`
	Offset uint64  `json:"offset"` // a tag, for tag_req
	MS     uint64  `json:"ms"`
	Count  *uint64 `json:"count"`
}

// times is how often the step is done.
func (s *step) times() uint64 {
	if s.Count == nil {
		return 1
	}
	return *s.Count
}

// mostBytes bounds what a step asks for: both sides have buffers of that size.
const mostBytes = 1 << 30

// readScript reads a script from a file.
func readScript(name string) ([]step, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	steps, err := parseScript(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return steps, nil
}

// parseScript reads an array of JSON objects. There may be a comment before it, as one text in quotation marks. An error
// names the line.
func parseScript(b []byte) ([]step, error) {
	at, err := arrayIn(b)
	if err != nil {
		return nil, err
	}
	bad := func(off int, format string, args ...any) error {
		line := 1 + bytes.Count(b[:min(at+off, len(b))], []byte("\n"))
		return fmt.Errorf("line %d: %s: %w", line, fmt.Sprintf(format, args...), fi.ErrInvalid)
	}
	d := json.NewDecoder(bytes.NewReader(b[at:]))
	d.DisallowUnknownFields()
	if _, err := d.Token(); err != nil {
		return nil, bad(0, "%v", err)
	}
	var steps []step
	for d.More() {
		begin := int(d.InputOffset())
		begin += len(b[at+begin:]) - len(bytes.TrimLeft(b[at+begin:], ", \t\r\n"))
		var s step
		if err := d.Decode(&s); err != nil {
			if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
				begin = int(syntax.Offset)
			}
			return nil, bad(begin, "%s", strings.TrimPrefix(err.Error(), "json: "))
		}
		if !slices.Contains(ops, s.Op) {
			text := fmt.Sprintf("key \"op\": no operation %q", s.Op)
			if near := fi.Suggest(s.Op, ops); near != "" {
				text += ": did you mean " + near + "?"
			}
			return nil, bad(begin, "%s", text)
		}
		if s.Size > mostBytes || s.Offset > mostBytes && s.Op != "tag_req" {
			return nil, bad(begin, "keys \"size\" and \"offset\" are at most %d", mostBytes)
		}
		steps = append(steps, s)
	}
	if _, err := d.Token(); err != nil {
		return nil, bad(len(b), "the array has no end: %v", err)
	}
	if len(steps) == 0 {
		return nil, bad(0, "no step")
	}
	return steps, nil
}

// arrayIn finds where the array begins, behind a comment.
func arrayIn(b []byte) (int, error) {
	quoted := false
	for i, c := range b {
		switch {
		case c == '"':
			quoted = !quoted
		case c == '[' && !quoted:
			return i, nil
		}
	}
	return 0, fmt.Errorf("no array of steps, as [ { \"op\": \"msg_req\", \"size\": 1000 }, { \"op\": \"msg_resp\" } ]: %w", fi.ErrInvalid)
}
