package main

import (
	_ "embed"
	"fmt"
	"os"
	"slices"
	"strings"
)

//go:embed names.txt
var names string

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: rosetta MODULE-FOLDER OUTPUT-FILE")
		os.Exit(2)
	}
	text, err := page(os.DirFS(os.Args[1]), names)
	if err == nil {
		err = os.WriteFile(os.Args[2], []byte(text), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "rosetta:", err)
		os.Exit(1)
	}
}

// list is what names.txt says.
type list struct {
	calls  []string
	absent map[string]string // why a call has no counterpart, or after "= " what stands for it
	types  []string          // structures
}

func readList(text string) list {
	l := list{absent: map[string]string{}}
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, rest, _ := strings.Cut(line, " ")
		if name == "type" {
			l.types = append(l.types, rest)
			continue
		}
		l.calls = append(l.calls, name)
		if rest != "" {
			l.absent[name] = rest
		}
	}
	slices.Sort(l.calls)
	return l
}
