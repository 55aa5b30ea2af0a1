package shm

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// TestOffersNeedTheSocketDir turns shm down when no endpoint could be opened in the folder, and says why.
func TestOffersNeedTheSocketDir(t *testing.T) {
	dir := t.TempDir()
	file, closed := filepath.Join(dir, "file"), filepath.Join(dir, "closed")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(closed, 0o500); err != nil {
		t.Fatal(err)
	}
	long := dir + strings.Repeat("/.", 50)
	for _, c := range []struct{ dir, name, want string }{
		{"", "", ""}, {dir, "", ""}, {dir, "a", ""},
		{dir + "/nowhere", "", ": not there"}, {file, "", ": no folder"}, {long, "", ": too long: "}, {closed, "", ": not writable"},
		{dir + strings.Repeat("/.", max(0, 80-len(dir))/2), strings.Repeat("x", 60), "name of 60 bytes"},
	} {
		if c.dir == closed && os.Geteuid() == 0 {
			continue // may write everywhere
		}
		env := map[string]string{"FI_SHM_SOCKET_DIR": c.dir}
		p := NewEnv(func(k string) (string, bool) { return env[k], env[k] != "" })
		q := &driver.Query{Hints: &fi.Hints{}, Service: c.name}
		if c.name != "" {
			q.Flags = fi.InfoSource
		}
		infos, no := p.Offers(context.Background(), q)
		switch {
		case c.want == "" && len(infos) != 3:
			t.Errorf("%+v: %v", c, no)
		case c.want != "" && (len(infos) > 0 || len(no) != 1 || !strings.Contains(no[0].String(), "FI_SHM_SOCKET_DIR=") || !strings.Contains(no[0].Have, c.want)):
			t.Errorf("%+v: %v, %v", c, infos, no)
		}
	}
}
