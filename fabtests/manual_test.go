package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gofabric/gofabric/internal/cli"
)

// TestManualIsCurrent compares the manual page with the option tables.
func TestManualIsCurrent(t *testing.T) {
	text := manual().Manual()
	for name, want := range map[string]string{"fabtests.1.md": text, "fabtests.1": cli.Roff(text)} {
		file := filepath.Join("..", "docs", "man", name)
		if *update {
			if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, string(got)); d != "" {
			t.Errorf("%s is not current: go test ./fabtests -run TestManualIsCurrent -update (-want +got)\n%s", file, d)
		}
	}
}
