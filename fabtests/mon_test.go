package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gofabric/gofabric/internal/monfile"
)

// write writes figures as the hook does.
func write(t *testing.T, d monfile.Dir, provider string, counts ...monfile.Count) {
	t.Helper()
	if err := d.Write(&monfile.Figures{Provider: provider, Program: "prog", Since: time.Unix(1, 0), Counts: counts}); err != nil {
		t.Fatal(err)
	}
}

// TestMon lists, chooses and follows.
func TestMon(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "monitor")
	t.Setenv("FI_OFI_HOOK_MONITOR_BASEPATH", folder)
	d, err := monfile.Make(os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	write(t, d, "shm", monfile.Count{Call: "fi_enable", Count: 1}, monfile.Count{Call: "fi_tsend", Size: "64-512", Count: 5, Bytes: 500})
	write(t, d, "tcp", monfile.Count{Call: "fi_write", Size: "4M-", Count: 1, Bytes: 5 << 20})
	self := strconv.Itoa(os.Getpid())
	do := func(args ...string) string {
		t.Helper()
		var out bytes.Buffer
		if err := (&program{ctx: context.Background(), out: &out, err: &out}).mon(args); err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return out.String()
	}
	for _, args := range [][]string{nil, {self}} {
		var lines []string
		for l := range strings.Lines(do(args...)) {
			lines = append(lines, strings.Join(strings.Fields(l), " "))
		}
		want := "pid program provider call size count bytes|" + self + " prog shm fi_enable 1 0|" + self + " prog shm fi_tsend 64-512 5 500|" +
			self + " prog tcp fi_write 4M- 1 5242880"
		if got := strings.Join(lines, "|"); got != want {
			t.Errorf("%v:\n got %s\nwant %s", args, got, want)
		}
	}
	var f monfile.Figures
	first, _, _ := strings.Cut(do("--json"), "\n")
	if err := json.Unmarshal([]byte(first), &f); err != nil || f.Provider != "shm" || f.Version != monfile.Version || len(f.Counts) != 2 {
		t.Errorf("--json: %v, %s", err, first)
	}
	var out bytes.Buffer
	if err := (&program{ctx: context.Background(), out: &out}).mon([]string{self, strconv.Itoa(os.Getppid())}); err == nil ||
		err.Error() != "mon: process "+strconv.Itoa(os.Getppid())+" is not monitored, but "+self || !strings.Contains(out.String(), "fi_tsend") {
		t.Errorf("a process that is not monitored: %v\n%s", err, &out)
	}
}

// TestMonFollow looks again and again, and prints what has grown since.
func TestMonFollow(t *testing.T) {
	m := &mon{p: &program{}, follow: true}
	last, at := map[key]monfile.Count{}, map[key]time.Time{}
	var out bytes.Buffer
	m.p.out = &out
	look := func(after time.Duration, count uint64) string {
		t.Helper()
		out.Reset()
		f := monfile.Figures{PID: 7, Program: "prog", Provider: "shm", Updated: time.Unix(100, 0).Add(after), Counts: []monfile.Count{
			{Call: "fi_tsend", Size: "0-64", Count: count, Bytes: 1e6 * count}, {Call: "fi_enable", Count: 1}}}
		if err := m.show([]monfile.Figures{f}, last, at); err != nil {
			t.Fatal(err)
		}
		return strings.Join(strings.Fields(out.String()), " ")
	}
	for i, c := range []struct {
		after time.Duration
		count uint64
		want  string
	}{
		{0, 10, ""}, // there is nothing to compare with
		{2 * time.Second, 30, "pid program provider call size calls/s MB/s 7 prog shm fi_tsend 0-64 10 10.00"},
		{2 * time.Second, 30, ""}, // the file is the same
		{3 * time.Second, 30, ""}, // nothing was sent
		{4 * time.Second, 35, "pid program provider call size calls/s MB/s 7 prog shm fi_tsend 0-64 5 5.00"},
	} {
		if got := look(c.after, c.count); got != c.want {
			t.Errorf("look %d: %q, want %q", i, got, c.want)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	t.Setenv("FI_OFI_HOOK_MONITOR_BASEPATH", filepath.Join(t.TempDir(), "none"))
	stop()
	out.Reset()
	if err := (&program{ctx: ctx, out: &out}).mon([]string{"-f"}); err != nil || out.Len() != 0 {
		t.Errorf("following nobody, until Ctrl-C: %v, %q", err, out.String())
	}
}
