package archtest

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/deps.txt anew")

// TestDependencies compares the packages that reach the binary of a program that uses fabric and all providers with the
// checked-in list, so that a new one is seen in review. The standard library is left out.
func TestDependencies(t *testing.T) {
	seen := map[string]bool{}
	for _, goos := range []string{"linux", "darwin", "windows", "freebsd"} {
		cmd := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}",
			"./fabric", "./providers/all")
		cmd.Dir = filepath.Join("..", "..")
		cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH=amd64", "CGO_ENABLED=0")
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go list: %v\n%s", err, errs.String())
		}
		for p := range strings.FieldsSeq(string(out)) {
			seen[p] = true
		}
	}
	list := make([]string, 0, len(seen))
	for p := range seen {
		list = append(list, p)
	}
	slices.Sort(list)
	got := strings.Join(list, "\n") + "\n"
	const file = "testdata/deps.txt"
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		if !slices.Contains(strings.Fields(string(want)), p) {
			t.Errorf("%s is new in users' binaries: if it should be, run this test with -update", p)
		}
	}
	for p := range strings.FieldsSeq(string(want)) {
		if !seen[p] {
			t.Errorf("%s is gone from users' binaries: run this test with -update", p)
		}
	}
}
