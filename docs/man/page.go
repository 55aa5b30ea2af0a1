package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"text/template"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/cli"
	"github.com/gofabric/gofabric/internal/envknob"
	_ "github.com/gofabric/gofabric/internal/zlog" // its variables
	_ "github.com/gofabric/gofabric/providers/all"
)

// pages makes the pages of section 7 from the templates below text, each as manual page and as Markdown, by file name.
func pages(root fs.FS) (map[string]string, error) {
	sources, err := fs.Glob(root, "text/*.md")
	if err != nil {
		return nil, err
	}
	made := map[string]string{}
	for _, s := range sources {
		t, err := template.New(path.Base(s)).Funcs(template.FuncMap{"variables": variables, "attr": attr}).ParseFS(root, s)
		if err != nil {
			return nil, err
		}
		var b strings.Builder
		if err := t.Execute(&b, nil); err != nil {
			return nil, err
		}
		made[path.Base(s)] = b.String()
		made[strings.TrimSuffix(path.Base(s), ".md")] = cli.Roff(b.String())
	}
	return made, nil
}

// variables lists the environment variables of an owner.
func variables(owner string) (string, error) {
	var b strings.Builder
	for _, d := range envknob.All() {
		if d.Owner != owner {
			continue
		}
		fmt.Fprintf(&b, "- `%s`: %s", d.Name, d.Help)
		// Words may have been listed already, and texts need no explanation.
		if d.Accepts != "a text" && !strings.Contains(d.Help, strings.TrimPrefix(d.Accepts, "one of ")) && d.Kind != envknob.KindBool {
			fmt.Fprintf(&b, "; %s", d.Accepts)
		}
		if d.Default != "" {
			fmt.Fprintf(&b, " (default: %s)", d.Default)
		}
		b.WriteString(".\n")
	}
	if b.Len() == 0 {
		return "", fmt.Errorf("no variable belongs to %q", owner)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// attr gives a value from the verbose entry of a provider, the first of that name.
func attr(provider, name string) (string, error) {
	none := func(string) (string, bool) { return "", false }
	infos, err := fabric.GetInfo(context.Background(), &fi.Hints{Mode: ^fi.Mode(0),
		Domain: &fi.DomainAttr{Mode: ^fi.Mode(0), MRMode: ^fi.MRMode(0)}, Fabric: &fi.FabricAttr{ProvName: provider}},
		fabric.WithEnv(none))
	if err != nil {
		return "", err
	}
	for line := range strings.SplitSeq(infos[0].Dump(fi.DetailVerbose), "\n") {
		if val, ok := strings.CutPrefix(strings.TrimSpace(line), name+": "); ok {
			return strings.Trim(val, "[ ]"), nil
		}
	}
	return "", errors.New("an entry has no " + name)
}
