package archtest

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// CheckPackageDocs finds packages without exactly one package comment in doc.go. Programs of one file in examples keep
// it in main.go.
func CheckPackageDocs(t *Tree) []Finding {
	var found []Finding
	first := map[string]*File{}
	has := map[string]bool{}
	var dirs []string
	for _, f := range t.Files {
		if f.Test {
			if f.AST.Doc != nil && !f.Generated {
				found = append(found, Finding{f.Path, f.line(f.AST.Doc.Pos()), "package-doc", "a test file has a package comment"})
			}
			continue
		}
		if first[f.Dir()] == nil {
			first[f.Dir()] = f
			dirs = append(dirs, f.Dir())
		}
		if f.AST.Doc == nil {
			continue
		}
		example := strings.HasPrefix(f.Path, "examples/") && f.Name() == "main.go"
		if f.Name() != "doc.go" && !example {
			found = append(found, Finding{f.Path, f.line(f.AST.Doc.Pos()), "package-doc",
				"the package comment stands in doc.go, and there is one"})
			continue
		}
		has[f.Dir()] = true
		want := "Package " + f.AST.Name.Name + " "
		if f.AST.Name.Name != "main" && !strings.HasPrefix(f.AST.Doc.Text(), want) {
			found = append(found, Finding{f.Path, f.line(f.AST.Doc.Pos()), "package-doc", "the comment starts with " + want})
		}
	}
	for _, dir := range dirs {
		if !has[dir] {
			found = append(found, Finding{first[dir].Path, 0, "package-doc",
				"no package comment in doc.go: what it is for, when one needs it, concurrency, ownership"})
		}
	}
	return found
}

// CheckExportedDocs finds exported names without a comment that starts with the name.
func CheckExportedDocs(t *Tree) []Finding {
	var found []Finding
	for _, f := range t.Files {
		if f.Test || f.Generated {
			continue
		}
		report := func(n ast.Node, name, text string) {
			found = append(found, Finding{f.Path, f.line(n.Pos()), "exported-doc", name + " " + text})
		}
		for _, d := range f.AST.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if !d.Name.IsExported() || d.Recv != nil && !ast.IsExported(receiver(d)) {
					continue
				}
				checkDoc(report, d, d.Name.Name, d.Doc)
			case *ast.GenDecl:
				checkGroup(report, d)
			}
		}
	}
	return found
}

type reportFunc func(n ast.Node, name, text string)

func checkDoc(report reportFunc, n ast.Node, name string, doc *ast.CommentGroup) {
	switch {
	case doc == nil || strings.TrimSpace(doc.Text()) == "":
		report(n, name, "has no comment")
	case !startsWith(doc.Text(), name):
		report(n, name, "has a comment that does not start with the name")
	}
}

func startsWith(text, name string) bool {
	for _, article := range []string{"", "A ", "An ", "The ", "Deprecated: "} {
		if rest, ok := strings.CutPrefix(text, article+name); ok && (rest == "" || strings.ContainsAny(rest[:1], " ,.:;'(\n[")) {
			return true
		}
	}
	return false
}

func checkGroup(report reportFunc, d *ast.GenDecl) {
	if d.Tok == token.IMPORT {
		return
	}
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if !s.Name.IsExported() {
				continue
			}
			doc := s.Doc
			if doc == nil && len(d.Specs) == 1 {
				doc = d.Doc
			}
			checkDoc(report, s, s.Name.Name, doc)
			checkMethods(report, s)
		case *ast.ValueSpec:
			// Values may be explained by a line comment or, together, by the comment of their group.
			if s.Doc != nil || s.Comment != nil || d.Doc != nil {
				continue
			}
			for _, n := range s.Names {
				if n.IsExported() {
					report(s, n.Name, "has no comment")
				}
			}
		}
	}
}

// smallInterface is how many methods the comment of an interface can explain by itself.
const smallInterface = 4

// checkMethods looks at the methods of an interface. One comment may serve several that follow each other.
func checkMethods(report reportFunc, s *ast.TypeSpec) {
	i, ok := s.Type.(*ast.InterfaceType)
	if !ok || i.Methods == nil {
		return
	}
	methods := slices.DeleteFunc(slices.Clone(i.Methods.List), func(m *ast.Field) bool { return len(m.Names) == 0 })
	if len(methods) <= smallInterface {
		return
	}
	explained := false
	for _, m := range methods {
		explained = explained || m.Doc != nil || m.Comment != nil
		if m.Names[0].IsExported() && !explained {
			report(m, s.Name.Name+"."+m.Names[0].Name, "has no comment")
		}
	}
}

// receiver gives the name of a method's type.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return ""
	}
	e := d.Recv.List[0].Type
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}
