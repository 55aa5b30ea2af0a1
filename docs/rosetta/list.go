package main

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// list is what the lists say.
type list struct {
	calls   []string
	words   []string // constants and types
	absent  map[string]string
	reasons []reason // of constants and types
	types   []string // structures that comments name without the word struct
}

// reason says why names have no counterpart, or after "= " what stands for them.
type reason struct {
	pattern, text string
	used          bool
}

// readLists reads names.txt, headers.txt and reasons.txt.
func readLists(from fs.FS) (*list, error) {
	l := &list{absent: map[string]string{}}
	for _, f := range []struct {
		name string
		take func(line string)
	}{{"names.txt", l.takeCall}, {"headers.txt", l.takeWords}, {"reasons.txt", l.takeReason}} {
		data, err := fs.ReadFile(from, f.name)
		if err != nil {
			return nil, err
		}
		for line := range strings.SplitSeq(string(data), "\n") {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				f.take(line)
			}
		}
	}
	slices.Sort(l.calls)
	return l, nil
}

func (l *list) takeCall(line string) {
	name, rest, _ := strings.Cut(line, " ")
	if name == "type" {
		l.types = append(l.types, rest)
		return
	}
	l.calls = append(l.calls, name)
	if rest != "" {
		l.absent[name] = rest
	}
}

// takeWords reads a type with the word before it, or constants.
func (l *list) takeWords(line string) {
	if strings.HasPrefix(line, "struct ") || strings.HasPrefix(line, "enum ") {
		l.words = append(l.words, line)
		return
	}
	l.words = append(l.words, strings.Fields(line)...)
}

func (l *list) takeReason(line string) {
	words := strings.SplitN(line, " ", 3)
	n := 1
	if words[0] == "struct" || words[0] == "enum" {
		n = 2
	}
	name := strings.Join(words[:n], " ")
	l.reasons = append(l.reasons, reason{pattern: name, text: strings.TrimPrefix(line, name+" ")})
}

// why gives the reason for a constant or type; empty for none.
func (l *list) why(name string) string {
	for i := range l.reasons {
		if r := &l.reasons[i]; fits(r.pattern, name) {
			r.used = true
			return r.text
		}
	}
	return ""
}

func fits(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

// unused lists the reasons that no name needs.
func (l *list) unused() []string {
	var list []string
	for _, r := range l.reasons {
		if !r.used {
			list = append(list, r.pattern)
		}
	}
	return list
}
