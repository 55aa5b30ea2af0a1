package server

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
)

// lookPath finds the program of a Proc: a relative path counts from its working directory, as in a shell after cd.
func lookPath(p *Proc) (string, error) {
	path := p.Path
	if strings.ContainsRune(filepath.ToSlash(path), '/') && !filepath.IsAbs(path) && p.Dir != "" {
		path = filepath.Join(p.Dir, path)
	}
	found, err := exec.LookPath(path)
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return "", err
	}
	return filepath.Abs(found)
}
