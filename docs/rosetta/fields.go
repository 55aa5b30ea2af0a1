package main

import (
	"fmt"
	"go/ast"
	"io/fs"
	"slices"
	"strings"
)

// goField is a field of one of our structures.
type goField struct {
	name, note string // the note is the comment behind it
}

// structs reads the exported fields of the public packages' structures, by "fi.Info". Those of embedded structures of the
// same package are among them.
func structs(root fs.FS) (map[string][]goField, error) {
	all := map[string][]goField{}
	embedded := map[string][]string{}
	err := sources(root, func(pkg string, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok || !spec.Name.IsExported() {
				return true
			}
			if s, ok := spec.Type.(*ast.StructType); ok {
				t := pkg + "." + spec.Name.Name
				all[t] = append(all[t], fieldsOf(s)...)
				embedded[t] = append(embedded[t], embeddedIn(pkg, s)...)
			}
			return true
		})
	})
	if err != nil {
		return nil, err
	}
	for t, list := range embedded {
		for _, e := range list {
			all[t] = append(all[t], all[e]...)
		}
	}
	return all, nil
}

func fieldsOf(s *ast.StructType) []goField {
	var list []goField
	for _, f := range s.Fields.List {
		text := f.Comment.Text()
		if text == "" {
			text = f.Doc.Text()
		}
		for _, n := range f.Names {
			if n.IsExported() {
				list = append(list, goField{n.Name, sentence(text)})
			}
		}
	}
	return list
}

func embeddedIn(pkg string, s *ast.StructType) []string {
	var list []string
	for _, f := range s.Fields.List {
		if id, ok := f.Type.(*ast.Ident); ok && len(f.Names) == 0 {
			list = append(list, pkg+"."+id.Name)
		}
	}
	return list
}

// fieldTable makes the rows of fields.txt, and says what is wrong with it: a field of C without a counterpart and without a
// reason, one that has a reason but no need of it, a field of ours that no line names.
func fieldTable(root fs.FS, text string) (rows, wrong []string, err error) {
	ours, err := structs(root)
	if err != nil {
		return nil, nil, err
	}
	var c, t string
	left := map[string]bool{} // fields of ours that no line has named yet
	end := func() {
		for f := range left {
			wrong = append(wrong, t+"."+f+" is in no line below "+c+" of fields.txt: name it there, with a dot in front if C does not have it")
		}
		clear(left)
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		if rest, ok := strings.CutPrefix(line, "struct "); ok {
			end()
			c, t, _ = strings.Cut(rest, " ")
			if ours[t] == nil {
				wrong = append(wrong, "fields.txt: there is no structure "+t)
			}
			for _, f := range ours[t] {
				left[f.name] = true
			}
			continue
		}
		name, why, _ := strings.Cut(line, " ")
		if f, ok := strings.CutPrefix(name, "."); ok {
			if !left[f] {
				wrong = append(wrong, "fields.txt: "+t+" has no field "+f+", or "+c+" has it, too")
			}
			delete(left, f)
			rows = append(rows, fmt.Sprintf("| %s | `%s.%s` | not in `%s` |", why, t, f, c))
			continue
		}
		renamed, isName := strings.CutPrefix(why, "> ")
		i := slices.IndexFunc(ours[t], func(f goField) bool {
			return f.name == renamed || !isName && strings.EqualFold(f.name, strings.ReplaceAll(name, "_", ""))
		})
		cell, note := "not here", why
		switch instead, ok := strings.CutPrefix(why, "= "); {
		case i >= 0 && (why == "" || isName):
			cell, note = "`"+t+"."+ours[t][i].name+"`", ours[t][i].note
			delete(left, ours[t][i].name)
		case i >= 0:
			wrong = append(wrong, "fields.txt: "+c+"."+name+" has a counterpart: remove the words behind it")
		case why == "" || isName:
			wrong = append(wrong, "fields.txt: "+t+" has no field for "+c+"."+name+": name it after >, or give a reason")
		case ok:
			cell, note = instead, ""
		}
		rows = append(rows, fmt.Sprintf("| `%s.%s` | %s | %s |", c, name, cell, note))
	}
	end()
	return rows, wrong, nil
}
