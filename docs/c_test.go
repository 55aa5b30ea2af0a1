package docs

import (
	"os/exec"
	"strings"
	"testing"
)

// TestCParts has a C compiler look at the C of each document: its blocks, one behind the other.
func TestCParts(t *testing.T) {
	compile := func(text string) ([]byte, error) {
		cc := exec.CommandContext(t.Context(), "cc", "-x", "c", "-fsyntax-only", "-Wall", "-Wno-unused-function", "-Werror", "-")
		cc.Stdin = strings.NewReader(text)
		return cc.CombinedOutput()
	}
	if _, err := compile("#include <rdma/fabric.h>\n"); err != nil {
		t.Skip("known: no C compiler with libfabric's headers is here")
	}
	found := 0
	for _, doc := range documents(t) {
		_, blocks := read(t, doc)
		var text strings.Builder
		for _, b := range blocks {
			if b.lang == "c" {
				text.WriteString(b.text)
			}
		}
		if text.Len() == 0 {
			continue
		}
		found++
		if out, err := compile(text.String()); err != nil {
			t.Errorf("%s: %v\n%s", doc, err, out)
		}
	}
	if found == 0 {
		t.Error("no document has C")
	}
}
