package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// agentOption makes this program an agent. It is no option for users.
const agentOption = "--agent"

// agentCommand makes the command that starts a host's agent: this program itself, or on another host through ssh, or what
// -launcher-exec names, with the host and one word for its shell.
func (l *launch) agentCommand(h *remote) (*exec.Cmd, error) {
	self, err := selfPath()
	if err != nil {
		return nil, err
	}
	if h.here {
		return exec.Command(self, agentOption), nil
	}
	if l.c.agent != "" {
		self = l.c.agent
	}
	word := "exec " + quote(self) + " " + agentOption
	if l.c.launcherExec != "" {
		return exec.Command(l.c.launcherExec, append(l.c.launcherArgs, h.name, word)...), nil
	}
	args := append([]string{"-x", "-T"}, l.c.launcherArgs...)
	return exec.Command("ssh", append(args, h.name, word)...), nil
}

// selfPath is the path of this program as it was called, if that leads to it: a link that is there on all hosts is
// better than what it points to here.
func selfPath() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	called, err := exec.LookPath(os.Args[0])
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return self, nil
	}
	if called, err = filepath.Abs(called); err != nil {
		return self, nil
	}
	a, aerr := os.Stat(self)
	b, berr := os.Stat(called)
	if aerr == nil && berr == nil && os.SameFile(a, b) {
		return called, nil
	}
	return self, nil
}

// quote makes one word of a shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
