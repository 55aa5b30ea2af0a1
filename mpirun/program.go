package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// program is one of the programs of a job.
type program struct {
	n       int
	args    []string // the program in front
	dir     string
	mustDir bool // dir was asked for
	env     []string
}

// builder builds each Go package once.
type builder struct {
	folder string // made when needed
	built  map[string]string
	stderr io.Writer
}

// resolve replaces a Go package in front of args, a folder, an import path or .go files, by a program built from it.
// Whatever can be run is left alone.
func (b *builder) resolve(args []string) ([]string, error) {
	what, n := goPackage(args)
	if n == 0 {
		return args, nil
	}
	key := strings.Join(what, " ")
	if b.built[key] == "" {
		if b.folder == "" {
			folder, err := os.MkdirTemp("", "mpirun-")
			if err != nil {
				return nil, err
			}
			b.folder, b.built = folder, map[string]string{}
		}
		file := filepath.Join(b.folder, fmt.Sprintf("%s%d%s", strings.TrimSuffix(filepath.Base(what[0]), ".go"), len(b.built), exeSuffix))
		dir := ""
		if st, err := os.Stat(what[0]); err == nil && st.IsDir() && (filepath.IsAbs(what[0]) || strings.HasPrefix(what[0], "..")) {
			dir, what = what[0], []string{"."} // it may be of another module than the one that we are in
		}
		cmd := exec.Command("go", append([]string{"build", "-o", file}, what...)...)
		cmd.Dir = dir
		cmd.Stdout, cmd.Stderr = b.stderr, b.stderr
		if err := cmd.Run(); err != nil {
			return nil, fmt.Errorf("go build %s: %w", key, err)
		}
		b.built[key] = file
	}
	return append([]string{b.built[key]}, args[n:]...), nil
}

// goPackage gives what go build takes, and how many words of args it is; 0 for a program.
func goPackage(args []string) ([]string, int) {
	name := args[0]
	if strings.HasSuffix(name, ".go") {
		n := 0
		for n < len(args) && strings.HasSuffix(args[n], ".go") {
			n++
		}
		return args[:n], n
	}
	st, err := os.Stat(name)
	if err == nil && st.IsDir() {
		if !filepath.IsAbs(name) && !strings.HasPrefix(name, ".") {
			name = "./" + filepath.ToSlash(name)
		}
		return []string{name}, 1
	}
	if err == nil {
		return nil, 0
	}
	if _, err := exec.LookPath(name); err == nil || !strings.Contains(name, "/") || strings.HasPrefix(name, ".") || filepath.IsAbs(name) {
		return nil, 0
	}
	// An import path starts with the name of a host, or is of this module or the library.
	if exec.Command("go", "list", name).Run() == nil {
		return []string{name}, 1
	}
	return nil, 0
}

// remove takes the built programs away.
func (b *builder) remove() {
	if b.folder != "" {
		os.RemoveAll(b.folder) //nolint:errcheck // a temporary folder
	}
}
