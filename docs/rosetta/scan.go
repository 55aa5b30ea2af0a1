package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// packages are the public ones whose names have counterparts, with the folders below the root.
var packages = []string{"fi", "fabric", "mr", "cq", "atomic"}

// entry is one line of the table.
type entry struct {
	c    string // "fi_tsenddata", "FI_MSG", "struct fi_info"
	ours string // "fabric: (*Endpoint).TSendData"
	note string // the first sentence

	instead string // what stands for it, where there is no counterpart
}

// sources calls f for each file of the packages below root, tests left out.
func sources(root fs.FS, f func(pkg string, file *ast.File)) error {
	for _, pkg := range packages {
		files, err := fs.ReadDir(root, pkg)
		if err != nil {
			return err
		}
		for _, e := range files {
			if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
				continue
			}
			src, err := fs.ReadFile(root, path.Join(pkg, e.Name()))
			if err != nil {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), e.Name(), src, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			f(pkg, file)
		}
	}
	return nil
}

// scan reads the exported names of the packages below root.
func scan(root fs.FS) ([]entry, error) {
	var list []entry
	err := sources(root, func(pkg string, file *ast.File) {
		for _, d := range file.Decls {
			list = append(list, declared(pkg, d)...)
		}
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b entry) int {
		if n := strings.Compare(a.c, b.c); n != 0 {
			return n
		}
		return strings.Compare(a.ours, b.ours)
	})
	return slices.Compact(list), nil
}

func declared(pkg string, d ast.Decl) []entry {
	var list []entry
	add := func(name string, cs []string, doc string) {
		for _, c := range cs {
			list = append(list, entry{c: c, ours: pkg + "." + name, note: sentence(doc)})
		}
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() {
			if name := methodName(d); name != "" {
				add(name, inParentheses(d.Doc.Text()), d.Doc.Text())
			}
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				doc := s.Doc
				if doc == nil {
					doc = d.Doc
				}
				if s.Name.IsExported() {
					add(s.Name.Name, inParentheses(doc.Text()), doc.Text())
				}
			case *ast.ValueSpec:
				text := s.Comment.Text()
				cs := leading(text)
				if len(cs) == 0 {
					text = s.Doc.Text()
					if text == "" && len(d.Specs) == 1 {
						text = d.Doc.Text()
					}
					cs = inParentheses(text)
				} else {
					_, text, _ = strings.Cut(text, ":")
				}
				if s.Names[0].IsExported() {
					add(s.Names[0].Name, cs, strings.TrimPrefix(text, s.Names[0].Name+" "))
				}
			}
		}
	}
	return list
}

// methodName gives "Name" or "(*Type).Name"; "" for methods of types that are not exported.
func methodName(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	e, star := d.Recv.List[0].Type, ""
	if s, ok := e.(*ast.StarExpr); ok {
		e, star = s.X, "*"
	}
	if i, ok := e.(*ast.IndexExpr); ok {
		e = i.X
	}
	id, ok := e.(*ast.Ident)
	if !ok || !id.IsExported() {
		return ""
	}
	if star == "" {
		return id.Name + "." + d.Name.Name
	}
	return "(*" + id.Name + ")." + d.Name.Name
}

var (
	parentheses = regexp.MustCompile(`\(((?:[^()]|\([0-9a-z]\))*)\)`)
	cName       = regexp.MustCompile(`((?:struct|enum) )?\b(fid?_[a-z0-9_]+|FI_[A-Z0-9_]+)(\([0-9a-z]\)|://|\*)?`)
)

// inParentheses gives the C names in the parentheses of a comment's first paragraph.
func inParentheses(doc string) []string {
	paragraph, _, _ := strings.Cut(doc, "\n\n")
	var cs []string
	for _, p := range parentheses.FindAllStringSubmatch(paragraph, -1) {
		for _, m := range cName.FindAllStringSubmatch(strings.ReplaceAll(p[1], "\n", " "), -1) {
			// Behind a name: a manual's section, a scheme's slashes, a star; an underscore ends a prefix.
			if m[3] == "" && !strings.HasSuffix(m[2], "_") && !slices.Contains(cs, m[1]+m[2]) {
				cs = append(cs, m[1]+m[2])
			}
		}
	}
	return cs
}

// leading gives the C names at the start of a constant's comment: "FI_SEND, FI_TRANSMIT: sends".
func leading(comment string) []string {
	head, _, _ := strings.Cut(comment, ":")
	var cs []string
	for word := range strings.SplitSeq(head, ",") {
		word, _, _ = strings.Cut(strings.TrimSpace(word), " ")
		if cName.FindString(word) != word || word == "" {
			break
		}
		cs = append(cs, word)
	}
	return cs
}

var spaces = regexp.MustCompile(`\s+`)

// sentence gives a comment's first sentence without the parentheses that hold C names.
func sentence(doc string) string {
	paragraph, _, _ := strings.Cut(doc, "\n\n")
	text := parentheses.ReplaceAllStringFunc(paragraph, func(p string) string {
		if cName.MatchString(p) {
			return ""
		}
		return p
	})
	text = strings.TrimSpace(spaces.ReplaceAllString(text, " "))
	if i := strings.Index(text, ". "); i >= 0 {
		text = text[:i]
	}
	text = strings.NewReplacer(" .", "", " ,", ",", " :", ":", " ;", ";", "|", `\|`).Replace(text + " ")
	return strings.TrimSuffix(strings.TrimSpace(text), ".")
}
