package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
)

// TestRunRefuses says what is wrong with a command line of run, and what to do.
func TestRunRefuses(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad")
	if err := os.WriteFile(bad, []byte("fi_rdm\nfi_[\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	onLinux := runtime.GOOS == "linux" // where there is tcp, and a table of processors
	for _, c := range []struct {
		args   []string
		status int
		want   []string // in standard error
		here   bool
	}{
		{[]string{"-t", "quik", "mem"}, 1, []string{`there is no set "quik": did you mean quick?`, "try: fabtests run --help"}, true},
		{[]string{"-t", "unit,xyzzy", "mem"}, 1, []string{`there is no set "xyzzy", but quick, unit, functional`}, true},
		{[]string{"memm"}, 1, []string{`there is no provider "memm": did you mean mem?`, "try: fabtests run mem\n"}, true},
		{[]string{"mem", "xyzzy"}, 1, []string{`there is no provider "xyzzy", but `, "hosts are two", "try: fabtests run mem SERVER CLIENT"}, true},
		{[]string{"xyzzy"}, 1, []string{`there is no provider "xyzzy", but `}, true},
		{[]string{"memm", "mem"}, 1, []string{`there is no provider "memm": did you mean mem?`}, true},
		{[]string{"mem", "one", "two"}, 1, []string{"mem reaches its own process only"}, true},
		{[]string{"-e", "(x", "mem"}, 1, []string{`"(x" is no regular expression: missing closing )`}, true},
		{[]string{"-f", bad, "mem"}, 1, []string{bad + `:2: "fi_[" is no regular expression: missing closing ]`}, true},
		{[]string{"-f", dir + "/nowhere", "mem"}, 1, []string{"-f: open ", "try: fabtests run -f FILE"}, true},
		{[]string{"-p", "mem"}, 1, []string{"the provider stands alone; -p is the folder of fabtests on other hosts", "try: fabtests run mem\n"}, onLinux},
		{[]string{"-p", "/opt/bin", "mem"}, 1, []string{"here all tests are in this program"}, true},
		{[]string{"-u", "all.test", "mem"}, 1, []string{"-u: ubertest: there is no file all.test", "try: -u FILE, or one of quick, all, verify"}, true},
		{[]string{"-P", "mem"}, 1, []string{"go test ./providers/"}, true},
		{[]string{"-G", "mem"}, 1, []string{"--debug-assert"}, true},
		{[]string{"-T", "soon", "mem"}, 1, []string{`'--time-limit': "soon" is not seconds`}, true},
		{[]string{"-E", "WORD", "mem"}, 1, []string{`'--env': "WORD" is not VAR=VALUE`}, true},
		{[]string{"-j", "0", "mem"}, 1, []string{`'--jobs': "0" is not a number from 1`}, true},
		{[]string{"--pin-core", "0", "mem"}, 1, []string{"a processor each"}, true},
		{[]string{"--pin-core", "65000,65001", "mem"}, 1, []string{"no processor 65000 "}, onLinux},
		{[]string{"-C", "-c sread", "mem"}, 1, []string{"both sides of mem are one process"}, true},
		{[]string{"-t", "unit", "--junit", dir + "/no/report.xml", "mem"}, 2, []string{"junit(): ", "try: fabtests run --junit FILE"}, true},
		{[]string{"--peer", "c", "mem"}, 1, []string{"where are the programs of C fabtests?"}, true},
		{[]string{"--peer-path", dir, "mem"}, 1, []string{"--peer-path goes with --peer c"}, true},
		{[]string{"--peer", "c", "--peer-path", dir, "mem"}, 1, []string{"mem is no protocol that C's programs speak"}, true},
		{[]string{"--peer", "go", "mem"}, 1, []string{`'--peer': "go" is not c`}, true},
		{[]string{"--peer-side", "left", "mem"}, 1, []string{`'--peer-side': "left" is not server, client or both`}, true},
		{[]string{"--peer", "c", "--peer-path", dir, "tcp"}, 1, []string{"--peer-path: no programs fi_* in "}, onLinux},
		{[]string{"--peer", "c", "--peer-path", dir, "tcp", "one", "two"}, 1, []string{"--peer c runs on this machine"}, onLinux},
	} {
		if !c.here {
			continue
		}
		t.Run(strings.ReplaceAll(fail.CommandLine(c.args), dir, "dir"), func(t *testing.T) {
			var out, errs bytes.Buffer
			p := &program{ctx: context.Background(), out: &out, err: &errs}
			if status := p.main(append([]string{"run"}, c.args...)); status != c.status || out.Len() > 0 {
				t.Errorf("status %d, want %d: %s", status, c.status, &out)
			}
			for _, w := range c.want {
				if !strings.Contains(errs.String(), w) {
					t.Errorf("no %q in:\n%s", w, &errs)
				}
			}
			if !strings.Contains(errs.String(), "  try: ") {
				t.Errorf("nothing to try:\n%s", &errs)
			}
		})
	}
}

// TestBlankSSH: a command in place of ssh has words.
func TestBlankSSH(t *testing.T) {
	t.Setenv(sshVar, " ")
	s := newSets(&program{ctx: context.Background()})
	s.config.Remote = true
	if err := s.hosts(); err == nil || !strings.Contains(err.Error(), sshVar+" is blank") || fail.Next(err) != "unset "+sshVar {
		t.Error(err)
	}
}

// TestWithoutProvider takes those of libfabric's script that are here, and says so.
func TestWithoutProvider(t *testing.T) {
	var errs bytes.Buffer
	s := newSets(&program{ctx: context.Background(), err: &errs})
	if err := s.choose([]string{"shm", "tcp", "mem"}); err != nil || strings.Join(s.config.Providers, " ") != "tcp" {
		t.Errorf("%v %v", err, s.config.Providers)
	}
	if errs.String() != "# No provider was named: tcp (udp is not here)\n" {
		t.Errorf("%q", &errs)
	}
	errs.Reset()
	s = newSets(&program{ctx: context.Background(), err: &errs})
	if err := s.choose([]string{"tcp", "udp"}); err != nil || errs.String() != "# No provider was named: tcp and udp\n" {
		t.Errorf("%v %q", err, &errs)
	}
	s = newSets(&program{ctx: context.Background(), err: &errs})
	if err := s.choose([]string{"mem"}); err == nil || fail.Next(err) != "fabtests run mem" {
		t.Error(err)
	}
}

// TestHelpOfRun shows the same options both ways.
func TestHelpOfRun(t *testing.T) {
	var texts [2]bytes.Buffer
	for i, args := range [][]string{{"run", "--help"}, {"help", "run"}} {
		p := &program{ctx: context.Background(), out: &texts[i], err: &bytes.Buffer{}}
		if status := p.main(args); status != 0 {
			t.Errorf("%v: status %d", args, status)
		}
	}
	if a, b := texts[0].String(), texts[1].String(); a != b || !strings.Contains(a, "-T, --time-limit SECONDS") {
		t.Errorf("%s\n%s", a, b)
	}
}
