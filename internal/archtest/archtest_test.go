package archtest

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// checks are the house rules that look at source.
var checks = []struct {
	name string
	run  func(*Tree) []Finding
}{
	{"imports", CheckImports},
	{"package-docs", CheckPackageDocs},
	{"exported-docs", CheckExportedDocs},
	{"fast-path", CheckFastPath},
	{"length", CheckLength},
	{"sleeps", CheckSleeps},
	{"paths", CheckPaths},
	{"leftovers", CheckLeftovers},
}

func TestHouse(t *testing.T) {
	tree, err := Load(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	if len(tree.Files) < 50 {
		t.Fatalf("only %d files were found", len(tree.Files))
	}
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			for _, f := range c.run(tree) {
				t.Error(f)
			}
		})
	}
}

// TestMutants runs all checks on small trees that each break rules: exactly the findings that are written there must
// come.
func TestMutants(t *testing.T) {
	data, err := os.ReadFile("testdata/mutants.txt")
	if err != nil {
		t.Fatal(err)
	}
	caught := map[string]bool{}
	for _, mutant := range strings.Split(string(data), "\n=== ")[1:] {
		name, body, _ := strings.Cut(mutant, "\n")
		t.Run(name, func(t *testing.T) {
			files := fstest.MapFS{}
			head, rest, _ := strings.Cut(body, "-- ")
			for part := range strings.SplitSeq("\n"+rest, "\n-- ") {
				path, text, _ := strings.Cut(strings.TrimPrefix(part, "\n"), " --\n")
				files[path] = &fstest.MapFile{Data: []byte(text + "\n")}
			}
			var want, got []string
			for line := range strings.SplitSeq(strings.TrimSpace(head), "\n") {
				if w, ok := strings.CutPrefix(line, "want "); ok {
					want = append(want, w)
				}
			}
			tree, err := Load(files)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range checks {
				for _, f := range c.run(tree) {
					at, _, _ := strings.Cut(f.String(), ": "+f.Text)
					got = append(got, at)
					caught[f.Rule] = true
				}
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("\n got %s\nwant %s", strings.Join(got, "\n     "), strings.Join(want, "\n     "))
			}
		})
	}
	for _, r := range rules {
		if !caught[r.name] {
			t.Errorf("no mutant breaks rule %s", r.name)
		}
	}
	for _, rule := range []string{"alias", "package-doc", "exported-doc", "fastpath", "length", "sleep", "path", "leftover"} {
		if !caught[rule] {
			t.Errorf("no mutant breaks rule %s", rule)
		}
	}
}
