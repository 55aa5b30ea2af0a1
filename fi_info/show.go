package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/gofabric/gofabric/fi"
)

// entries prints what the search finds, or why it finds nothing.
func (w *world) entries(c *config) int {
	a, err := w.ask(c)
	if err != nil {
		return w.failed(c, err)
	}
	if c.json {
		return w.entriesJSON(c, a)
	}
	if len(a.infos) == 0 {
		return w.noMatch(c)
	}
	for _, text := range c.texts(a.infos) {
		io.WriteString(w.stdout, text)
	}
	return exitOK
}

// texts gives the entries as they are printed.
func (c *config) texts(infos []*fi.Info) []string {
	var list []string
	seen := map[string]bool{}
	for _, i := range infos {
		text := ""
		switch {
		case c.filtered || c.verbose:
			text = "---\n" + i.Dump(fi.DetailVerbose)
		case c.list:
			text = i.Dump(fi.DetailList)
		default:
			text = i.Dump(fi.DetailShort)
		}
		if c.filtered && !contains(text, c.filter) || c.dedup && seen[text] {
			continue
		}
		seen[text] = true
		list = append(list, text)
	}
	return list
}

// contains compares without regard to case.
func contains(s, sub string) bool { return strings.Contains(strings.ToLower(s), strings.ToLower(sub)) }

// advice ends the text of a failure: what to do next.
const advice = "try: fi_info -l (providers), fi_info -h (hints), fi_info --doctor (this machine)"

// noMatch says that nothing was found, and why.
func (w *world) noMatch(c *config) int {
	list, err := w.verdicts(c)
	if err != nil {
		return w.failed(c, err)
	}
	w.status(fi.ErrNoData)
	for _, v := range list {
		for _, r := range v.reasons {
			fmt.Fprintln(w.stderr, "    "+r.line())
		}
	}
	fmt.Fprintln(w.stderr, advice)
	return int(fi.ErrNoData)
}

// failed tells of an error other than that nothing matches.
func (w *world) failed(c *config, err error) int {
	code := fi.ErrOther
	errors.As(err, &code)
	if c.json {
		w.writeJSON(document{Infos: []*fi.Info{}, Error: newErrorJSON(code, err)})
	}
	w.status(code)
	fmt.Fprintln(w.stderr, "    "+err.Error())
	fmt.Fprintln(w.stderr, advice)
	return int(code)
}

// status is the line that libfabric's tool prints on a failure.
func (w *world) status(code fi.Errno) {
	fmt.Fprintf(w.stderr, "fi_getinfo: -%d (%s)\n", int(code), code.Strerror())
}
