package archtest

import (
	"fmt"
	"go/ast"
	"regexp"
	"strings"
)

// maxLines is where a file starts to need a table of contents.
const maxLines = 500

// CheckLength finds files that are too long.
func CheckLength(t *Tree) []Finding {
	var found []Finding
	for _, f := range t.Files {
		if f.Lines > maxLines && !f.Generated && !hasReason(f, 1, "long:") {
			found = append(found, Finding{f.Path, 0, "length", fmt.Sprintf("%d lines: short files, one concept each (at most %d)",
				f.Lines, maxLines)})
		}
	}
	return found
}

// hasReason tells whether a comment on the line or just above it starts with the word and says something.
func hasReason(f *File, line int, word string) bool {
	for _, group := range f.AST.Comments {
		for _, c := range group.List {
			at := f.line(c.Pos())
			reason, ok := strings.CutPrefix(strings.TrimSpace(strings.TrimPrefix(c.Text, "//")), word)
			if ok && strings.TrimSpace(reason) != "" && (at == line || f.line(group.End())+1 == line || line == 1 && at < 20) {
				return true
			}
		}
	}
	return false
}

// CheckSleeps finds time.Sleep in tests and in the suite: waiting for another goroutine or process that way is slow when
// it works and wrong when it does not.
func CheckSleeps(t *Tree) []Finding {
	var found []Finding
	for _, f := range t.Files {
		if !f.Test && !strings.HasPrefix(f.Path, "fabtests/conformance/") && !strings.HasPrefix(f.Path, "internal/testx/") {
			continue
		}
		ast.Inspect(f.AST, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok || s.Sel.Name != "Sleep" {
				return true
			}
			if x, ok := s.X.(*ast.Ident); ok && x.Name == "time" && !hasReason(f, f.line(s.Pos()), "sleep:") {
				found = append(found, Finding{f.Path, f.line(s.Pos()), "sleep",
					"a test waits for something by sleeping; wait for the thing itself, or say \"// sleep: why\""})
			}
			return true
		})
	}
	return found
}

// machinePath finds paths that exist on somebody's machine only. The pieces are joined here so that this file is clean.
var machinePath = regexp.MustCompile(`(^|[^\w.$}-])/(` + strings.Join([]string{"wor" + "k", "ho" + "me", "ro" + "ot", "Use" + "rs",
	"tm" + "p"}, "|") + `)/[\w.]`)

// CheckPaths finds such paths in everything that people read.
func CheckPaths(t *Tree) []Finding {
	var found []Finding
	for _, x := range t.Texts {
		n := 0
		for line := range strings.SplitSeq(x.Data, "\n") {
			n++
			if m := machinePath.FindString(line); m != "" {
				found = append(found, Finding{x.Path, n, "path", "a path of one machine: " + strings.TrimSpace(m)})
			}
		}
	}
	return found
}

var (
	leftover = regexp.MustCompile(`\b(TODO|FIXME|XXX|HACK)\b`)
	issue    = regexp.MustCompile(`(issue |#)\d+`)
)

// CheckLeftovers finds notes to oneself that name no issue.
func CheckLeftovers(t *Tree) []Finding {
	var found []Finding
	for _, f := range t.Files {
		for _, group := range f.AST.Comments {
			for _, c := range group.List {
				if w := leftover.FindString(c.Text); w != "" && !issue.MatchString(c.Text) {
					found = append(found, Finding{f.Path, f.line(c.Pos()), "leftover", w + " without an issue: finish it or file it"})
				}
			}
		}
	}
	return found
}
