package ubertest

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fi"
)

// configs are the configurations of our own: a folder for each provider.
//
//go:embed configs
var configs embed.FS

// configNames are those that a provider may have.
var configNames = []string{"quick", "all", "verify"}

// builtin reads one of ours: a name, or a provider and a name. False: there is none.
func builtin(name, provider string) (text string, there bool) {
	if p, rest, found := strings.Cut(name, "/"); found {
		name, provider = rest, p
	}
	b, err := configs.ReadFile("configs/" + provider + "/" + name + ".test")
	return string(b), err == nil
}

// Has tells whether there is a configuration of our own for a provider.
func Has(provider, name string) bool {
	_, there := builtin(name, provider)
	return there
}

// Check reads a configuration as -u names it, and gives what is wrong with it.
func Check(file, provider string) error {
	_, err := (&choices{file: file}).load(provider)
	return err
}

// load reads the configuration of -u: a file, else one of ours.
func (c *choices) load(provider string) ([]*set, error) {
	if c.file == "" {
		return nil, &fail.Usage{Text: "ubertest: a client needs a configuration", Next: "-u quick, or -u FILE: see fabtests ubertest --help"}
	}
	b, err := os.ReadFile(c.file)
	content := string(b)
	if errors.Is(err, fs.ErrNotExist) {
		var there bool
		if content, there = builtin(c.file, provider); !there {
			return nil, c.missing(provider)
		}
		err = nil
	}
	if err != nil {
		return nil, &fail.Usage{Text: "ubertest: " + err.Error(), Next: "-u with another file"}
	}
	sets, err := parse(content)
	if err != nil {
		next := "correct the line"
		if bad, ok := errors.AsType[*lineError](err); ok {
			next = fmt.Sprintf("correct line %d of %s", bad.line, c.file)
		}
		return nil, &fail.Usage{Text: "ubertest: " + fileError(c.file, err).Error(), Next: next}
	}
	return sets, c.inRange(sets)
}

// inRange refuses -y and -z that leave no test.
func (c *choices) inRange(sets []*set) error {
	all := count(sets)
	switch {
	case c.last > 0 && c.first > c.last:
		return &fail.Usage{Text: fmt.Sprintf("ubertest: -y %d -z %d: the last test is before the first", c.first, c.last),
			Next: fmt.Sprintf("-y %d -z %d", c.last, c.first)}
	case c.first > all:
		return &fail.Usage{Text: fmt.Sprintf("ubertest: -y %d: %s has %d tests", c.first, c.file, all), Next: fmt.Sprintf("-y with a number up to %d", all)}
	}
	return nil
}

// overridden says which providers a file names though another one is used; "" for none.
func overridden(sets []*set, file, provider string) string {
	var names []string
	for _, s := range sets {
		if name := s.texts["prov_name"]; name != "" && provider != "" && name != provider && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if names == nil {
		return ""
	}
	return fmt.Sprintf("%s is of %s (prov_name), but it is run over %s: -p goes before what the file says", file, strings.Join(names, ", "), provider)
}

// Overridden tells that a configuration as -u names it is of another provider than the one it is run over; "" when it is not.
func Overridden(file, provider string) string {
	sets, err := (&choices{file: file}).load(provider)
	if err != nil {
		return ""
	}
	return overridden(sets, file, provider)
}

// missing is the error for a file that is not there.
func (c *choices) missing(provider string) error {
	for _, name := range configNames {
		if c.file != name {
			continue
		}
		if provider == "" {
			return &fail.Usage{Text: "ubertest: " + name + " of which provider?", Next: "the same with -p, or -u tcp/" + name}
		}
		return &fail.Usage{Text: "ubertest: there is no configuration " + name + " for " + provider, Next: "-u FILE, or -p with one of " + strings.Join(providersWith(name), ", ")}
	}
	if near := fi.Suggest(c.file, configNames); near != "" {
		return &fail.Usage{Text: "ubertest: there is no file " + c.file + ": did you mean " + near + "?", Next: "-u " + near}
	}
	return &fail.Usage{Text: "ubertest: there is no file " + c.file, Next: "-u FILE, or one of " + strings.Join(configNames, ", ")}
}

// providersWith lists the providers that have a configuration.
func providersWith(name string) []string {
	var out []string
	dirs, _ := configs.ReadDir("configs") //nolint:errcheck // it is in the program
	for _, d := range dirs {
		if Has(d.Name(), name) {
			out = append(out, d.Name())
		}
	}
	return out
}
