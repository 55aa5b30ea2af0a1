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

// TestPagesAreListed wants every page of the guide and the manual in the list of documents, and fabric(7) to refer to every
// other page of the manual.
func TestPagesAreListed(t *testing.T) {
	list, _ := read(t, "README.md")
	overview, _ := read(t, filepath.Join("man", "text", "fabric.7.md"))
	_, seeAlso, _ := strings.Cut(overview, "## SEE ALSO")
	for _, kind := range []string{"guide", "man"} {
		pages, err := filepath.Glob(filepath.Join(kind, "*.md"))
		if err != nil || len(pages) < 5 {
			t.Fatal(pages, err)
		}
		for _, p := range pages {
			if !strings.Contains(list, "("+filepath.ToSlash(p)+")") {
				t.Errorf("%s is not in docs/README.md", p)
			}
			name := strings.Split(filepath.Base(p), ".") // fi_shm.7.md
			if ref := "*" + name[0] + "*(" + name[1] + ")"; kind == "man" && name[0] != "fabric" && !strings.Contains(seeAlso, ref) {
				t.Errorf("fabric(7) does not refer to %s", ref)
			}
		}
	}
}

// TestWorkspace wants the workspace in the guide to replace the version of this module that contrib/promfabric asks for.
func TestWorkspace(t *testing.T) {
	text, _ := read(t, filepath.Join("guide", "metrics.md"))
	mod, err := os.ReadFile(filepath.Join(root, "contrib", "promfabric", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	asked := regexp.MustCompile(`(?m)^\s*github\.com/gofabric/gofabric (v\S+)$`).FindSubmatch(mod)
	if asked == nil || !strings.Contains(text, "-replace github.com/gofabric/gofabric@"+string(asked[1])+"=./\n") {
		t.Errorf("it does not replace %s", asked)
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
