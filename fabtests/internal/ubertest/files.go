package ubertest

import (
	"embed"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
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
	var sets []*set
	if err == nil {
		if sets, err = parse(content); err == nil {
			return sets, nil
		}
		err = fileError(c.file, err)
	}
	return nil, &fail.Usage{Text: "ubertest: " + err.Error(), Next: "-u with another file"}
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
