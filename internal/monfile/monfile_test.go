package monfile

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/osx"
)

// at is an environment with the folder at a path.
func at(path string) func(string) (string, bool) {
	return func(n string) (string, bool) { return path, n == "FI_OFI_HOOK_MONITOR_BASEPATH" }
}

// TestWriteList writes, lists and removes.
func TestWriteList(t *testing.T) {
	env := at(filepath.Join(t.TempDir(), "own"))
	if l, err := Path(env).List(); l != nil || err != nil {
		t.Errorf("of no folder: %v, %v", l, err)
	}
	d, err := Make(env)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 { // the second replaces the first
		for _, p := range []string{"tcp", "shm"} {
			if err := d.Write(&Figures{Provider: p, Program: "x", Counts: []Count{{Call: "fi_send", Size: "0-64", Count: uint64(i), Bytes: 8}}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	l, err := d.List()
	if err != nil || len(l) != 2 || l[0].Provider != "shm" || l[1].Provider != "tcp" || l[0].PID != os.Getpid() || l[0].Counts[0].Count != 1 {
		t.Errorf("%+v, %v", l, err)
	}
	if runtime.GOOS != "windows" {
		st, _ := os.Stat(string(d))
		if st.Mode() != os.ModeDir|os.ModeSticky|0o700 {
			t.Errorf("the folder has mode %v", st.Mode())
		}
		all, _ := os.ReadDir(string(d))
		for _, e := range all {
			if i, _ := e.Info(); i.Mode().Perm() != 0o600 {
				t.Errorf("%s has mode %v", e.Name(), i.Mode())
			}
		}
	}
	d.Remove("tcp")
	d.Remove("shm")
	if all, _ := os.ReadDir(string(d)); len(all) != 0 {
		t.Errorf("left: %v", all)
	}
}

// TestSweep lists a folder with files of processes that have ended: of one whose number is free, and of one whose number
// somebody else has. What is not a file of ours stays.
func TestSweep(t *testing.T) {
	d, err := Make(at(filepath.Join(t.TempDir(), "own")))
	if err != nil {
		t.Fatal(err)
	}
	gone := exec.Command(os.Args[0], "-test.run=^$")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	dead := fmt.Sprintf("%d-1-%d-shm%s", gone.Process.Pid, osx.PidSpace(), suffix)
	files := map[string]bool{ // whether it stays
		dead: false,
		strings.Replace(dead, "shm", "shm.new", 1):                               false,
		fmt.Sprintf("%d-1-%d-shm%s", gone.Process.Pid, osx.PidSpace()+1, suffix): true, // of another container
		"notes.txt": true,
		"1-2-x":     true,
	}
	if _, ok := osx.PidStart(os.Getpid()); ok {
		files[fmt.Sprintf("%d-1-%d-shm%s", os.Getpid(), osx.PidSpace(), suffix)] = false
	}
	for f := range files {
		if err := os.WriteFile(filepath.Join(string(d), f), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if l, err := d.List(); len(l) != 0 || err != nil {
		t.Errorf("%v, %v", l, err)
	}
	for f, stays := range files {
		if _, err := os.Stat(filepath.Join(string(d), f)); (err == nil) != stays {
			t.Errorf("%s: there %v, want %v", f, err == nil, stays)
		}
	}
}

// TestRefuse sees that folders of others are not used.
func TestRefuse(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("known: no modes on Windows")
	}
	base := t.TempDir()
	shared, file, link := filepath.Join(base, "shared"), filepath.Join(base, "file"), filepath.Join(base, "link")
	err := errors.Join(os.Mkdir(shared, 0o700), os.Chmod(shared, 0o777), os.WriteFile(file, nil, 0o600), os.Symlink(t.TempDir(), link))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{shared, file, link} {
		if _, err := Make(at(path)); !errors.Is(err, fi.ErrPerm) || !strings.Contains(err.Error(), "FI_OFI_HOOK_MONITOR_BASEPATH") {
			t.Errorf("%s: %v", path, err)
		}
		if _, err := Dir(path).List(); !errors.Is(err, fi.ErrPerm) {
			t.Errorf("%s: listed: %v", path, err)
		}
	}
	if p := Path(nil); !strings.Contains(string(p), "ofi_monitor_") {
		t.Errorf("the default is %s", p)
	}
}
