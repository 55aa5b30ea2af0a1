package docs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// root is the module's folder, seen from here.
const root = ".."

// block is a fenced block of a document.
type block struct {
	file string
	line int    // of the first line inside
	lang string // "go", "sh", "text"
	text string
}

// documents lists the Markdown files of the module, below root.
func documents(t *testing.T) []string {
	t.Helper()
	var list []string
	for _, glob := range []string{"*.md", "docs/*.md", "docs/*/*.md", "examples/*.md", "examples/*/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(glob)))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, found...)
	}
	if len(list) < 8 {
		t.Fatalf("only %d documents: %v", len(list), list)
	}
	return list
}

// read gives a document's text and its fenced blocks.
func read(t *testing.T, file string) (text string, blocks []block) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text = strings.ReplaceAll(string(data), "\r\n", "\n")
	var open *block
	for i, line := range strings.Split(text, "\n") {
		lang, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && open == nil:
			open = &block{file: file, line: i + 2, lang: lang}
		case fence:
			blocks = append(blocks, *open)
			open = nil
		case open != nil:
			open.text += line + "\n"
		}
	}
	if open != nil {
		t.Errorf("%s:%d: the block does not end", file, open.line)
	}
	return text, blocks
}
