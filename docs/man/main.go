package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// commands are the folders, below the module's, of commands with a manual.
var commands = []string{"fi_info", "fabtests", "mpibench", "mpirun"}

func main() {
	if err := run("."); err != nil {
		fmt.Fprintln(os.Stderr, "man:", err)
		os.Exit(1)
	}
}

// run writes all pages into a folder that is docs/man.
func run(folder string) error {
	made, err := pages(os.DirFS(folder))
	if err != nil {
		return err
	}
	for _, c := range commands {
		if err := asked(made, filepath.Join(folder, "..", ".."), c); err != nil {
			return err
		}
	}
	for name, text := range made {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// asked adds the page that a command has of itself.
func asked(made map[string]string, module, command string) error {
	for _, form := range []struct{ ending, arg string }{{".1", "roff"}, {".1.md", "markdown"}} {
		cmd := exec.Command("go", "run", "./"+command, "man", form.arg)
		cmd.Dir, cmd.Stderr = module, os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("%v: %w", cmd, err)
		}
		made[command+form.ending] = string(out)
	}
	return nil
}
