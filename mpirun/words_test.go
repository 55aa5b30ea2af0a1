package main

import (
	"slices"
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	cmd := newCommand(&config{})
	for line, want := range map[string]string{
		"-n 4 ./p -n 3":                  "-n 4 | ./p -n 3",
		"-n4 p":                          "-n4 | p",
		"-np 4 p":                        "--np 4 | p",
		"--np=4 p":                       "--np=4 | p",
		"-hostfile h -wdir /x p":         "--hostfile h --wdir /x | p",
		"-bind-to core -prepend-rank p":  "--bind-to core --prepend-rank | p",
		"-x A=b -x B p":                  "-x A=b -x B | p",
		"-f h -H a,b -l -k p q":          "-f h -H a,b -l -k | p q",
		"-hosts a p":                     "--hosts a | p",
		"-host a p":                      "--host a | p",
		"-- -n":                          " | -n",
		"-n 2 -- p":                      "-n 2 | p",
		"-disable-auto-cleanup -n 2 p":   "--disable-auto-cleanup -n 2 | p",
		"--nosuch p":                     "--nosuch | p",
		"-n":                             "-n | ",
		"- p":                            " | - p",
		"-timeout=3 p -timeout x --help": "--timeout=3 | p -timeout x --help",
	} {
		options, program := words(cmd, strings.Fields(line))
		if got := strings.Join(options, " ") + " | " + strings.Join(program, " "); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
	got := sections(strings.Fields("-n 1 a : -n 2 b:c :"))
	if len(got) != 3 || !slices.Equal(got[1], []string{"-n", "2", "b:c"}) || len(got[2]) != 0 {
		t.Errorf("sections %q", got)
	}
}
