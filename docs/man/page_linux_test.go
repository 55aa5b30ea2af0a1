package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/fstest"
)

// TestPagesAreCurrent compares the pages with their sources. Those of section 1 have a test beside their command.
func TestPagesAreCurrent(t *testing.T) {
	made, err := pages(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	if len(made) < 4 {
		t.Fatalf("only %d files", len(made))
	}
	for name, want := range made {
		if got, err := os.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s is not current: go generate ./docs/man (%v)", name, err)
		}
	}
}

// TestPagesReadWell lets a program that knows manual pages look for mistakes.
func TestPagesReadWell(t *testing.T) {
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Log("groff is not here: the pages were not read by it")
		return
	}
	made, err := pages(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range made {
		if strings.HasSuffix(name, ".md") {
			continue
		}
		cmd := exec.Command(groff, "-man", "-ww", "-Tutf8", "-z")
		cmd.Stdin = strings.NewReader(text)
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

func TestTemplates(t *testing.T) {
	made, err := pages(fstest.MapFS{"text/a.7.md": {Data: []byte("# a(7)\n\n{{variables \"core\"}}\n\nup to {{attr \"mem\" \"iov_limit\"}}, {{attr \"mem\" \"type\"}}\n")}})
	if err != nil {
		t.Fatal(err)
	}
	if text := made["a.7.md"]; !strings.Contains(text, "\n- `FI_PROVIDER`: ") || !strings.HasSuffix(text, "\nup to 16, FI_EP_RDM\n") {
		t.Errorf("got %s", text)
	}
	if text := made["a.7"]; !strings.Contains(text, ".TH A 7 ") || !strings.Contains(text, "\n.TP\n\\fBFI_PROVIDER\\fR\n") {
		t.Errorf("got %s", text)
	}
	for _, bad := range []string{`{{variables "nobody"}}`, `{{attr "nobody" "caps"}}`, `{{attr "mem" "nothing"}}`, `{{nothing}}`} {
		if _, err := pages(fstest.MapFS{"text/a.7.md": {Data: []byte(bad)}}); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
}
