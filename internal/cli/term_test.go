package cli

import (
	"os"
	"path/filepath"
	"testing"
)

func TestTerminal(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	plain, full := Style{}, Style{Color: true, Unicode: true}
	for _, c := range []struct {
		env  map[string]string
		want Style
	}{
		{nil, plain},
		{map[string]string{"LANG": "de_DE.UTF-8"}, plain}, // no terminal
		{map[string]string{"CLICOLOR_FORCE": "1", "LANG": "de_DE.UTF-8"}, full},
		{map[string]string{"CLICOLOR_FORCE": "0", "LANG": "de_DE.UTF-8"}, plain},
		{map[string]string{"CLICOLOR_FORCE": "1", "LC_ALL": "C.utf8", "LANG": "C"}, full},
		{map[string]string{"CLICOLOR_FORCE": "1", "LC_ALL": "C", "LANG": "de_DE.UTF-8"}, Style{Color: true}},
		{map[string]string{"CLICOLOR_FORCE": "1", "LC_CTYPE": "en_US.UTF-8"}, full},
		{map[string]string{"CLICOLOR_FORCE": "1", "NO_COLOR": "1", "LANG": "de_DE.UTF-8"}, plain},
	} {
		lookup := func(name string) (string, bool) { v, ok := c.env[name]; return v, ok }
		if got := Terminal(file, lookup); got != c.want {
			t.Errorf("%v: got %+v", c.env, got)
		}
	}
	if got := plain.Paint(Red, "x"); got != "x" {
		t.Errorf("got %q", got)
	}
	if got := full.Paint(Red, "x"); got != "\x1b[31mx\x1b[0m" {
		t.Errorf("got %q", got)
	}
}
