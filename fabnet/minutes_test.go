package fabnet_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestFirstMinutes15OneImport takes a program that was written for sockets, changes one import, and runs both: they print
// the same.
func TestFirstMinutes15OneImport(t *testing.T) {
	linuxOnly(t)
	b, err := os.ReadFile("testdata/echo/main.go")
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(b), "\t\"net\"\n", "\tnet \"github.com/gofabric/gofabric/fabnet\"\n", 1)
	if changed == string(b) {
		t.Fatal("the program does not import net")
	}
	var printed [2]string
	for i, text := range []string{string(b), changed} {
		dir := t.TempDir()
		file, binary := filepath.Join(dir, "main.go"), filepath.Join(dir, "echo")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		build := exec.Command("go", "build", "-o", binary, file)
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		var errs bytes.Buffer
		run := exec.Command(binary)
		run.Stderr = &errs
		out, err := run.Output()
		if err != nil || errs.Len() > 0 {
			t.Fatalf("%v\n%s%s", err, out, errs.String())
		}
		printed[i] = string(out)
	}
	if printed[0] != printed[1] || !strings.HasPrefix(printed[0], "hello gopher 0\n") {
		t.Errorf("over sockets\n%sover fabrics\n%s", printed[0], printed[1])
	}
}
