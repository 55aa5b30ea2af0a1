package server

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// lookPath finds the program of a Proc: a relative path counts from its working directory, as in a shell after cd.
func lookPath(p *Proc) (string, error) {
	if p.Dir != "" {
		if st, err := os.Stat(p.Dir); err != nil {
			return "", fmt.Errorf("working directory: %w", err)
		} else if !st.IsDir() {
			return "", fmt.Errorf("working directory: %s is no folder", p.Dir)
		}
	}
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
