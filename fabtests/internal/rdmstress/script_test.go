package rdmstress

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestScript reads a script with a comment before it.
func TestScript(t *testing.T) {
	steps, err := parseScript([]byte("\"\na comment [ with a bracket\n\"\n[ {\"op\": \"tag_req\", \"size\": 7, \"offset\": 3},\n" +
		"{\"op\": \"sleep\", \"ms\": 5, \"count\": 0}, {\"op\": \"exit\"} ]\n"))
	if err != nil {
		t.Fatal(err)
	}
	if len(steps) != 3 || steps[0].Op != "tag_req" || steps[0].Size != 7 || steps[0].Offset != 3 || steps[1].MS != 5 ||
		steps[1].times() != 0 || steps[2].times() != 1 {
		t.Errorf("%+v", steps)
	}
}

// TestBadScripts: an error names the line, and what is wrong there.
func TestBadScripts(t *testing.T) {
	for text, want := range map[string]string{
		"": "no array", "[]": "line 1: no step", "[{\"op\": \"msg_req\"}": "no end",
		"[\n{\"op\": \"msg_req\"},\n{\"op\": \"msg_rek\"}]":                  "line 3: key \"op\": no operation \"msg_rek\": did you mean msg_req?",
		"[\n{\"op\": \"noop\"},\n\n{\"op\": \"noop\", \"siz\": 1}]":          "line 4: unknown field \"siz\"",
		"[\n{\"op\": \"noop\"},\n{\"op\": \"noop\", \"size\": -1}]":          "line 3: ",
		"[\n{\"op\": \"noop\",\n\"size\" 1}]":                                "line 3: invalid character",
		"[\n{\"op\": \"msg_req\", \"size\": 99999999999}]":                   "line 2: keys \"size\" and \"offset\" are at most",
		"[{\"op\": \"read_req\", \"size\": 1, \"offset\": 99999999999999 }]": "at most",
	} {
		_, err := parseScript([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q in it", text, err, want)
		}
	}
}

// TestOwnScript reads the script that comes with the program.
func TestOwnScript(t *testing.T) {
	steps, err := readScript(filepath.Join("..", "..", "testdata", "rdm_stress", "stress.json"))
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, s := range steps {
		used[s.Op] = true
	}
	for _, op := range ops {
		if !used[op] {
			t.Errorf("%s is not used", op)
		}
	}
}
