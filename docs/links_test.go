package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// TestLinks looks at links to files.
func TestLinks(t *testing.T) {
	for _, doc := range documents(t) {
		text, _ := read(t, doc)
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			target, _, _ := strings.Cut(m[1], "#")
			if target == "" || strings.Contains(target, "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(doc), filepath.FromSlash(target))); err != nil {
				t.Errorf("%s: link to %s leads nowhere", doc, m[1])
			}
		}
	}
}

// TestDesignList wants every design page in the list, and its number to be its own.
func TestDesignList(t *testing.T) {
	list, _ := read(t, filepath.Join("design", "README.md"))
	pages, err := filepath.Glob(filepath.Join("design", "[0-9]*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatal("no pages", err)
	}
	numbers := map[string]string{}
	for _, p := range pages {
		name := filepath.Base(p)
		if !strings.Contains(list, "("+name+")") {
			t.Errorf("%s is not in docs/design/README.md", name)
		}
		number, _, _ := strings.Cut(name, "-")
		if other := numbers[number]; other != "" {
			t.Errorf("%s and %s have the same number", name, other)
		}
		numbers[number] = name
		if text, _ := read(t, p); !strings.HasPrefix(text, "# "+number+": ") {
			t.Errorf("%s does not start with its number", name)
		}
	}
}

var goRun = regexp.MustCompile(`(?m)\bgo (?:run|build|test|vet|doc) (?:-\S+ )*(\./[\w/]*)`)

// TestCommandsNamePackages looks at the packages that commands in documents name.
func TestCommandsNamePackages(t *testing.T) {
	for _, doc := range documents(t) {
		text, _ := read(t, doc)
		for _, m := range goRun.FindAllStringSubmatch(text, -1) {
			dir := strings.TrimSuffix(m[1], "/")
			if dir == "./package" { // stands for any
				continue
			}
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(dir))); err != nil {
				t.Errorf("%s: %q names a package that does not exist", doc, m[0])
			}
		}
	}
}
