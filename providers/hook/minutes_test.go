package hook_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	_ "github.com/gofabric/gofabric/providers/hook"
	_ "github.com/gofabric/gofabric/providers/mem"
)

// asProgram makes the test binary the program of a user.
const asProgram = "GOFABRIC_TEST_HOOK_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		if err := program(); err != nil {
			os.Stderr.WriteString(err.Error()) //nolint:errcheck // nobody to tell
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// program talks to itself, and uses a context twice.
func program() error {
	infos, err := fabric.GetInfo(context.Background(), &fi.Hints{Caps: fi.CapMsg})
	if err != nil {
		return err
	}
	f, err := fabric.Open(infos[0])
	if err != nil {
		return err
	}
	d, err := f.OpenDomain(infos[0])
	if err != nil {
		return err
	}
	ep, err1 := d.OpenEndpoint(infos[0])
	q, err2 := d.OpenCQ(nil)
	av, err3 := d.OpenAV(nil)
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	if err := errors.Join(ep.BindCQ(q, fi.BindTransmit|fi.BindRecv), ep.BindAV(av), ep.Enable()); err != nil {
		return err
	}
	name, err := ep.Name()
	if err != nil {
		return err
	}
	if _, err := av.Insert([][]byte{name}, nil, 0); err != nil {
		return err
	}
	ctx := new(int)
	for range 3 {
		if err := ep.Recv(make([]byte, 8), fi.AddrUnspec, ctx); err != nil {
			return err
		}
	}
	if err := ep.Send([]byte("hello"), 0, nil); err != nil {
		return err
	}
	for range 2 {
		if _, err := q.SRead(context.Background(), make([]cq.Entry, 1)); err != nil {
			return err
		}
	}
	return errors.Join(ep.Close(), av.Close(), q.Close(), d.Close(), f.Close())
}

// run runs the program with variables, and gives what it says.
func run(t *testing.T, env ...string) string {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), append(env, asProgram+"=1")...)
	var said bytes.Buffer
	c.Stdout, c.Stderr = &said, &said
	if err := c.Run(); err != nil {
		t.Fatalf("%v: %v\n%s", env, err, said.String())
	}
	return said.String()
}

// TestFirstMinutes11Check puts the checker before the provider of a program by FI_HOOK: one line says what is wrong, and
// where both operations were posted.
func TestFirstMinutes11Check(t *testing.T) {
	want := regexp.MustCompile(`^check: minutes_test\.go:(\d+): context reused while operation 1 is in flight \(posted at minutes_test\.go:(\d+)\): ` +
		`give each operation a context of its own until its completion is there\n$`)
	if said := run(t, "FI_HOOK=check"); !want.MatchString(said) {
		t.Errorf("FI_HOOK=check says %q", said)
	}
	if said := run(t, "FI_HOOK="); said != "" {
		t.Errorf("without hooks it says %q", said)
	}
}

// TestMisspelled runs a program whose user meant another hook: it is told, whatever the log is set to, and nothing runs
// unwatched.
func TestMisspelled(t *testing.T) {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "FI_HOOK=chekc", "FI_LOG_LEVEL=", asProgram+"=1")
	said, err := c.CombinedOutput()
	if err == nil || !strings.Contains(string(said), "no hook chekc is known; did you mean check?") {
		t.Errorf("%v: it says %q", err, said)
	}
}

// TestByVariable puts each hook before a program's provider.
func TestByVariable(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "monitor")
	for env, want := range map[string]string{
		"FI_HOOK=profile":                        "fi_recv  0-64",
		"FI_HOOK=trace;profile":                  "operation 4 (fi_send, ep 1) completed",
		"FI_HOOK=profile,check":                  "context reused while operation 1",
		"FI_HOOK=check,profile;trace":            "context reused while operation 1",
		"FI_OFI_HOOK_MONITOR_BASEPATH=/dev/null": "figures are not shown",
	} {
		said := run(t, "FI_HOOK=monitor", "FI_OFI_HOOK_MONITOR_BASEPATH="+folder, "FI_LOG_LEVEL=trace", env)
		if !strings.Contains(said, want) {
			t.Errorf("%s: no %q in\n%s", env, want, said)
		}
	}
	if left, _ := os.ReadDir(folder); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}
