package together

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// lastVar is set in the process that is killed.
const lastVar = "GOFABRIC_TOGETHER_LAST"

// Killed: a member in another process, which is killed, ends what the others do together. The process is this test, started
// again; it is a test of its own, not a part of one.
func Killed(t *testing.T, p driver.Provider) {
	if os.Getenv(lastVar) != "" {
		last(t, p)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), lastVar+"=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := false
	end := func() {
		if !ended {
			ended = true
			cmd.Process.Kill()
			cmd.Wait()
		}
	}
	t.Cleanup(end)
	lines := bufio.NewScanner(out)
	ms, names := strangers(t, p, 2, Options{})
	name, err := hex.DecodeString(hear(t, lines))
	if err != nil {
		t.Fatal(err)
	}
	names = append(names, name)
	for _, n := range names {
		fmt.Fprintln(in, hex.EncodeToString(n))
	}
	Each(t, ms, func(m *Member) error {
		if err := m.meet(names); err != nil {
			return err
		}
		at, err := m.All()
		if err == nil {
			err = m.Wait(m, m.EP.Barrier(at, m))
		}
		return err
	})
	hear(t, lines) // it is there, too
	posted := ms[0].EP.Broadcast(make([]byte, 8), ms[0].group.Addr(), ms[0].Addrs[2], fi.TypeUint8, 0, ms[0])
	end()
	Each(t, ms, func(m *Member) error {
		err := posted
		if m.Rank == 1 { // calls when the other has ended
			err = m.EP.Broadcast(make([]byte, 8), m.group.Addr(), m.Addrs[2], fi.TypeUint8, 0, m)
		}
		err = m.Wait(m, err)
		bad := new(cq.ErrEntry)
		if !errors.As(err, &bad) || !strings.Contains(bad.Text, "member 2") {
			return fmt.Errorf("a broadcast of who was killed: %w", err)
		}
		return m.Leave()
	})
}

// last is the member that is killed.
func last(t *testing.T, p driver.Provider) {
	ms, names := strangers(t, p, 1, Options{})
	m := ms[0]
	m.Rank = 2
	fmt.Println(mark + hex.EncodeToString(names[0]))
	in := bufio.NewScanner(os.Stdin)
	names = nil
	for len(names) < 3 && in.Scan() {
		name, err := hex.DecodeString(in.Text())
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	err := m.meet(names)
	if err == nil {
		var at fi.Addr
		if at, err = m.All(); err == nil {
			err = m.Wait(m, m.EP.Barrier(at, m))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(mark)
	in.Scan() // for ever, or until the other process ends
}

// mark stands before what the process that is killed says: tests print, too.
const mark = "together: "

func hear(t *testing.T, lines *bufio.Scanner) string {
	t.Helper()
	for lines.Scan() {
		if said, ok := strings.CutPrefix(lines.Text(), mark); ok {
			return said
		}
	}
	t.Fatalf("the other process has ended: %v", lines.Err())
	return ""
}
