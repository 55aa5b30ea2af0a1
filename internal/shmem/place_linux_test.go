package shmem

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestCheckPlace says the same as Listen would, and leaves nothing behind.
func TestCheckPlace(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		a    Addr
		want error
	}{
		{name(), nil},
		{Path(dir + "/s"), nil},
		{Path(dir + "/nowhere/s"), syscall.ENOENT},
		{Path(file + "/s"), syscall.ENOTDIR},
		{Path(dir + strings.Repeat("/.", 60) + "/s"), syscall.ENAMETOOLONG},
		{Abstract(strings.Repeat("x", 107)), syscall.ENAMETOOLONG},
	} {
		if err := CheckPlace(c.a); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.a, err, c.want)
		}
		l, err := Listen(c.a)
		if (err == nil) != (c.want == nil) {
			t.Errorf("%s: Listen says %v", c.a, err)
		}
		if err == nil {
			l.Close()
		}
	}
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	if err := CheckPlace(Path(dir + "/s")); os.Geteuid() != 0 && !errors.Is(err, syscall.EACCES) {
		t.Errorf("a folder that may not be written: %v", err)
	}
}
