package cli

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestCompletionSyntax lets each shell that is here read its script.
func TestCompletionSyntax(t *testing.T) {
	var got []string
	for _, shell := range Shells {
		script, err := sample(&got).Completion(shell)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"provider", "FI_RMA", "completion", "zsh"} {
			if !strings.Contains(script, word) {
				t.Errorf("%s: %s is missing", shell, word)
			}
		}
		path, err := exec.LookPath(shell)
		if err != nil {
			t.Logf("%s is not here: its script was not read by it", shell)
			continue
		}
		file := filepath.Join(t.TempDir(), "script")
		if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(path, "-n", file).CombinedOutput(); err != nil {
			t.Errorf("%s -n: %v\n%s", shell, err, out)
		}
	}
	var usage *UsageError
	if _, err := sample(&got).Completion("tcsh"); !errors.As(err, &usage) {
		t.Errorf("got %v", err)
	}
}

// TestBashCompletes asks bash what it would offer.
func TestBashCompletes(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Log("bash is not here: nothing to ask")
		return
	}
	var got []string
	script, err := sample(&got).Completion("bash")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ words, want string }{
		{"tool --ver", "--verbose --version"},
		{"tool -p ''", "shm mem"},
		{"tool --provider s", "shm"},
		{"tool --provider = m", "mem"},
		{"tool --provider =", "shm mem"},
		{"tool -c FI_M", "FI_MSG"},
		{"tool -c FI_MSG,FI_R", "FI_MSG,FI_RMA"},
		{"tool -c \"'FI_MSG|FI_R\"", "FI_MSG|FI_RMA"},
		{"tool comp", "completion"},
		{"tool completion f", "fish"},
		{"tool -P ''", ""},
	} {
		out, err := exec.Command(bash, "-c", script+"\nCOMP_WORDS=("+c.words+"); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _tool; echo \"${COMPREPLY[*]}\"").CombinedOutput()
		if text := strings.TrimSpace(string(out)); err != nil || text != c.want {
			t.Errorf("%s: got %q, want %q (%v)", c.words, text, c.want, err)
		}
	}
}
