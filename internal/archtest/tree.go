package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Module is the path of the module whose tree is checked.
const Module = "github.com/gofabric/gofabric"

// Finding is one broken rule.
type Finding struct {
	File string // below the root, with slashes
	Line int    // 0: the file as a whole
	Rule string // the rule's short name
	Text string // what is wrong and why that matters
}

// String gives the form that editors jump to.
func (f Finding) String() string { return fmt.Sprintf("%s:%d: %s: %s", f.File, f.Line, f.Rule, f.Text) }

// Tree is a module's source.
type Tree struct {
	Files []*File
	Texts []Text // everything that people read, Go files included
}

// File is a Go source file.
type File struct {
	Path      string // below the root, with slashes
	Test      bool   // *_test.go
	Generated bool
	Lines     int
	AST       *ast.File
	fset      *token.FileSet
}

// Text is a file as text.
type Text struct {
	Path string
	Data string
}

// Dir is the folder of the file, which names its package: "fabric/driver".
func (f *File) Dir() string { return path.Dir(f.Path) }

// Name is the last part of the path.
func (f *File) Name() string { return path.Base(f.Path) }

func (f *File) line(p token.Pos) int { return f.fset.Position(p).Line }

// Import is an import of a file. Packages of this module start with "./".
type Import struct {
	Path  string
	Alias string
	Line  int
}

// Imports lists the imports of the file.
func (f *File) Imports() []Import {
	var list []Import
	for _, spec := range f.AST.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		if rest, own := strings.CutPrefix(p, Module+"/"); own {
			p = "./" + rest
		}
		imp := Import{Path: p, Line: f.line(spec.Pos())}
		if spec.Name != nil {
			imp.Alias = spec.Name.Name
		}
		list = append(list, imp)
	}
	return list
}

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// textual are the endings of files that people read; files without an ending are scripts and licences.
var textual = []string{"", ".go", ".s", ".md", ".txt", ".txtar", ".sh", ".yml", ".yaml", ".html", ".c", ".h", ".mod"}

// Load reads a tree. Folders that the go command ignores are left out of Files; testdata and the folders of version
// control out of both.
func Load(root fs.FS) (*Tree, error) {
	t := &Tree{}
	err := fs.WalkDir(root, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata"):
			return fs.SkipDir
		case !d.Type().IsRegular() || !slices.Contains(textual, path.Ext(p)):
			return nil
		}
		data, err := fs.ReadFile(root, p)
		if err != nil {
			return err
		}
		// Without an ending it may as well be a program that somebody built here.
		if path.Ext(p) == "" && strings.Contains(string(data), "\x00") {
			return nil
		}
		t.Texts = append(t.Texts, Text{p, string(data)})
		if path.Ext(p) != ".go" || ignored(p) {
			return nil
		}
		f := &File{Path: p, Test: strings.HasSuffix(p, "_test.go"), fset: token.NewFileSet(),
			Generated: generated.Match(data), Lines: strings.Count(string(data), "\n")}
		f.AST, err = parser.ParseFile(f.fset, p, data, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		t.Files = append(t.Files, f)
		return nil
	})
	return t, err
}

func ignored(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		if strings.HasPrefix(part, ".") || strings.HasPrefix(part, "_") {
			return true
		}
	}
	return false
}
