package monfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofabric/gofabric/internal/osx"
)

// Version is that of the files.
const Version = 1

// Figures are what a file holds.
type Figures struct {
	Version  int       `json:"version"`
	PID      int       `json:"pid"`
	Program  string    `json:"program"`
	Provider string    `json:"provider"`
	Since    time.Time `json:"since"`   // the provider's first fabric was opened
	Updated  time.Time `json:"updated"` // the file was written
	Counts   []Count   `json:"counts"`  // in the order of calls, then of sizes
}

// Count is one line.
type Count struct {
	Call  string `json:"call"`           // "fi_tsend"
	Size  string `json:"size,omitempty"` // "64-512"; empty for what has none
	Count uint64 `json:"count"`
	Bytes uint64 `json:"bytes,omitempty"`
}

const suffix = ".monitor"

// name is the file of a provider of this process.
func name(provider string) string {
	start, _ := osx.PidStart(os.Getpid())
	return fmt.Sprintf("%d-%d-%d-%s%s", os.Getpid(), start, osx.PidSpace(), provider, suffix)
}

// Write replaces the file of a provider of this process.
func (d Dir) Write(f *Figures) error {
	f.Version, f.PID, f.Updated = Version, os.Getpid(), time.Now()
	text, err := json.Marshal(f)
	if err != nil {
		return err
	}
	path := filepath.Join(string(d), name(f.Provider))
	fresh := strings.TrimSuffix(path, suffix) + ".new" + suffix
	w, err := os.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) { // what a write that failed has left
		os.Remove(fresh) //nolint:errcheck // the next line tells
		w, err = os.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	}
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	if err = errors.Join(err, w.Close()); err == nil {
		err = os.Rename(fresh, path)
	}
	if err != nil {
		os.Remove(fresh) //nolint:errcheck // the first error tells
	}
	return err
}

// Remove removes the file of a provider of this process, and the folder when it is the default one and nothing else is
// there.
func (d Dir) Remove(provider string) {
	os.Remove(filepath.Join(string(d), name(provider))) //nolint:errcheck // a sweep finds it
	d.tidy()
}

// tidy removes the folder when it is the default one and nothing is there.
func (d Dir) tidy() {
	if d == Path(nil) {
		os.Remove(string(d)) //nolint:errcheck // others are there
	}
}

// List gives the figures of the processes that run, by their numbers, and removes the files of those that have ended. A
// folder that is not there has none.
func (d Dir) List() ([]Figures, error) {
	if err := d.check(); errors.Is(err, os.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(string(d))
	if err != nil {
		return nil, err
	}
	var out []Figures
	for _, e := range entries {
		path := filepath.Join(string(d), e.Name())
		pid, state := whose(e.Name())
		switch {
		case state == ended:
			os.Remove(path) //nolint:errcheck // somebody else swept it
		case state == running && !strings.HasSuffix(e.Name(), ".new"+suffix):
			var f Figures
			if text, err := os.ReadFile(path); err == nil && json.Unmarshal(text, &f) == nil && f.PID == pid && f.Version == Version {
				out = append(out, f)
			}
		}
	}
	if len(out) == 0 {
		d.tidy()
	}
	slices.SortFunc(out, func(a, b Figures) int {
		if a.PID != b.PID {
			return a.PID - b.PID
		}
		return strings.Compare(a.Provider, b.Provider)
	})
	return out, nil
}

// state is what became of a file's process.
type state int

const (
	strange state = iota // not ours to judge
	running
	ended
)

// whose tells whose file it is.
func whose(file string) (pid int, s state) {
	var start, space uint64
	var rest string
	if n, err := fmt.Sscanf(file, "%d-%d-%d-%s", &pid, &start, &space, &rest); n != 4 || err != nil || !strings.HasSuffix(rest, suffix) || space != osx.PidSpace() {
		return 0, strange
	}
	if !osx.PidAlive(pid) {
		return pid, ended
	}
	if now, ok := osx.PidStart(pid); ok && now != start { // another process has the number
		return pid, ended
	}
	return pid, running
}
