package archtest

import (
	"go/ast"
	"slices"
	"strings"
)

// fastMark is the comment line of a function that may not allocate.
const fastMark = "//fabric:fastpath"

// allocMark starts a comment that names the functions that an allocation test proves.
const allocMark = "allocs:"

// function is a function of a package that is not a test.
type function struct {
	file  *File
	decl  *ast.FuncDecl
	name  string // "Type.Method" or "Name"
	fast  bool
	calls map[string]bool // last names of what it calls
}

// pathMap is the tree's functions by folder, and which of them are proven not to allocate.
type pathMap struct {
	funcs  map[string][]*function
	proven map[*function]bool
}

// CheckFastPath finds functions that carry the mark and that no allocation test runs. What a test runs is what it names
// in a comment, what it calls, and what those call: functions of that name in the same package or in one that the
// caller's file imports.
func CheckFastPath(t *Tree) []Finding {
	m := pathMap{funcs: map[string][]*function{}, proven: map[*function]bool{}}
	for _, f := range t.Files {
		if !f.Test {
			m.funcs[f.Dir()] = append(m.funcs[f.Dir()], functions(f)...)
		}
	}
	var found []Finding
	for _, f := range t.Files {
		for _, fn := range functions(f) {
			if fn.calls["AllocsPerRun"] {
				found = append(found, m.named(fn)...)
				m.proveCalls(fn)
			}
		}
	}
	for _, f := range t.Files {
		for _, fn := range m.funcs[f.Dir()] {
			if fn.file == f && fn.fast && !m.proven[fn] {
				found = append(found, Finding{f.Path, f.line(fn.decl.Pos()), "fastpath", fn.name +
					" is marked as fast and no allocation test runs it: call it in a test of its package that uses " +
					"testing.AllocsPerRun, or name it there: // allocs: " + fn.name})
			}
		}
	}
	return found
}

func functions(f *File) []*function {
	var list []*function
	for _, d := range f.AST.Decls {
		decl, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		fn := &function{file: f, decl: decl, name: decl.Name.Name, calls: map[string]bool{}}
		if r := receiver(decl); r != "" {
			fn.name = r + "." + fn.name
		}
		if decl.Doc != nil {
			for _, c := range decl.Doc.List {
				fn.fast = fn.fast || strings.TrimSpace(c.Text) == fastMark
			}
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok {
				fn.calls[lastName(c.Fun)] = true
			}
			return true
		})
		list = append(list, fn)
	}
	return list
}

func lastName(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return x.Sel.Name
	case *ast.IndexExpr:
		return lastName(x.X)
	case *ast.IndexListExpr:
		return lastName(x.X)
	case *ast.ParenExpr:
		return lastName(x.X)
	}
	return ""
}

func (m *pathMap) prove(fn *function) {
	if !m.proven[fn] {
		m.proven[fn] = true
		m.proveCalls(fn)
	}
}

// proveCalls proves what fn calls.
func (m *pathMap) proveCalls(fn *function) {
	dirs := []string{fn.file.Dir()}
	for _, imp := range fn.file.Imports() {
		if dir, own := strings.CutPrefix(imp.Path, "./"); own {
			dirs = append(dirs, dir)
		}
	}
	for _, dir := range dirs {
		for _, callee := range m.funcs[dir] {
			if fn.calls[callee.decl.Name.Name] {
				m.prove(callee)
			}
		}
	}
}

// named proves the functions that the comments in and above an allocation test name. A name that does not exist is a
// finding: it was renamed or removed, and the promise went with it.
func (m *pathMap) named(test *function) []Finding {
	var found []Finding
	f := test.file
	for _, group := range f.AST.Comments {
		if inside := group.Pos() >= test.decl.Pos() && group.End() <= test.decl.End(); !inside && group != test.decl.Doc {
			continue
		}
		for _, c := range group.List {
			text, ok := strings.CutPrefix(strings.TrimSpace(strings.TrimPrefix(c.Text, "//")), allocMark)
			if !ok {
				continue
			}
			dir := f.Dir()
			if before, after, two := strings.Cut(text, ":"); two {
				dir, text = strings.TrimSpace(before), after
			}
			for _, name := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' }) {
				i := slices.IndexFunc(m.funcs[dir], func(fn *function) bool { return fn.name == name })
				if i < 0 {
					found = append(found, Finding{f.Path, f.line(c.Pos()), "fastpath",
						"there is no function " + name + " in " + dir})
					continue
				}
				m.prove(m.funcs[dir][i])
			}
		}
	}
	return found
}
