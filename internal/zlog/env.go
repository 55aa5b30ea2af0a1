package zlog

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/envknob"
)

// Variables.
var (
	envLevel = envknob.Choice("FI_LOG_LEVEL", "core",
		"how much is logged: warn, trace, info, debug, each including those before it; not set: nothing", "",
		levelNames[:]...)
	envProv = envknob.String("FI_LOG_PROV", "core",
		"providers that log, a list with commas, or with ^ in front those that do not", "")
	envSubsys = envknob.String("FI_LOG_SUBSYS", "core",
		"subsystems that log, a list with commas, or with ^ in front those that do not: "+
			strings.Join(subsysNames[:], " "), "")
	envLocation = envknob.String("FI_LOG_LOCATION", "core",
		"where the log goes: stderr, stdout, a file, or a folder (then the file ofi_PID.log in it)", "stderr")
)

// FromEnv makes the sink that the variables of env ask for; nil when FI_LOG_LEVEL is not set, whatever the others say.
// What is wrong with the variables is the error; the sink beside it is usable: a level that is none counts as warn, a
// location that cannot be written as stderr.
func FromEnv(env envknob.Lookup) (*Sink, error) {
	word, err := envLevel.Get(env)
	level := Warn
	switch {
	case err != nil:
	case word == "" || word == off.String():
		return nil, nil
	default:
		for level.String() != word {
			level++
		}
	}
	errs := []error{err}
	where, _ := envLocation.Get(env)
	w, err := open(where)
	errs = append(errs, err)
	prov, _ := envProv.Get(env)
	subsys, _ := envSubsys.Get(env)
	s := &Sink{core: newTextCore(w), limit: level, prov: parseFilter(prov), subsys: parseFilter(subsys)}
	errs = append(errs, checkProv(s.prov), checkSubsys(s.subsys))
	return s, errors.Join(errs...)
}

// Check tells what is wrong with the names in the variables of env, whether or not anything is logged.
func Check(env envknob.Lookup) error {
	prov, _ := envProv.Get(env)
	subsys, _ := envSubsys.Get(env)
	return errors.Join(checkProv(parseFilter(prov)), checkSubsys(parseFilter(subsys)))
}

// Env is the sink that the variables of this process ask for; see [Of].
func Env() *Sink { return Of(os.LookupEnv) }

// Of is FromEnv for those who ask often: sinks of the same values are one, so that a file is opened once, and what is
// wrong with the variables becomes the sink's first line.
func Of(env envknob.Lookup) *Sink {
	var v values
	for i, k := range []*envknob.Knob[string]{envLevel, envProv, envSubsys, envLocation} {
		v[i], _ = k.Lookup(env)
	}
	if v[0] == "" {
		return nil
	}
	sinksMu.Lock()
	defer sinksMu.Unlock()
	s, made := sinks[v]
	if !made {
		var err error
		if s, err = FromEnv(env); err != nil {
			all := &Sink{core: s.core, limit: s.limit} // the filters may be what is wrong
			all.Logger("core", Core).Warn(strings.ReplaceAll(err.Error(), "\n", "; "))
		}
		sinks[v] = s
	}
	return s
}

// values are the texts of the variables.
type values [4]string

var (
	sinksMu sync.Mutex
	sinks   = map[values]*Sink{} // guarded by sinksMu
)

// open opens a location; on failure it gives stderr beside the error.
func open(where string) (io.Writer, error) {
	switch strings.ToLower(where) {
	case "stderr":
		return os.Stderr, nil
	case "stdout":
		return os.Stdout, nil
	}
	if st, err := os.Stat(where); err == nil && st.IsDir() {
		where = filepath.Join(where, "ofi_"+strconv.Itoa(os.Getpid())+".log")
	}
	f, err := os.OpenFile(where, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return os.Stderr, &fi.Error{Op: "param_get", Object: envLocation.Name(), Err: errors.Join(fi.ErrInvalid, err),
			Hint: "want stderr, stdout, a file or a folder that can be written; logging to stderr"}
	}
	return f, nil
}

// checkProv looks for names that resemble that of a provider here. Others may be of providers that are defined elsewhere, or
// of the C library.
func checkProv(f filter) error {
	known := []string{"core", "mem"}
	for _, d := range envknob.All() {
		known = append(known, d.Owner)
	}
	for _, n := range f.names {
		if near := fi.Suggest(n, known); near != "" && !slices.Contains(known, n) {
			return &fi.Error{Op: "param_get", Object: envProv.Name(), Err: fi.ErrInvalid,
				Hint: "no provider " + n + " is known; did you mean " + near + "?"}
		}
	}
	return nil
}

func checkSubsys(f filter) error {
	known := filter{names: subsysNames[:]}
	for _, n := range f.names {
		if !known.passes(n) {
			hint := n + " is no subsystem; there are " + strings.Join(subsysNames[:], ", ")
			if near := fi.Suggest(n, subsysNames[:]); near != "" {
				hint += "; did you mean " + near + "?"
			}
			return &fi.Error{Op: "param_get", Object: envSubsys.Name(), Err: fi.ErrInvalid, Hint: hint}
		}
	}
	return nil
}
