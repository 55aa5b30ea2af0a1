package docs

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestWirePageHasEveryMessage compares the table of messages with the constants of the code.
func TestWirePageHasEveryMessage(t *testing.T) {
	page, _ := read(t, filepath.Join("wire", "shm.md"))
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, "providers", "shm", "proto.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	ast.Inspect(file, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || len(v.Values) != 1 || !strings.HasPrefix(v.Names[0].Name, "op") {
			return true
		}
		lit, ok := v.Values[0].(*ast.BasicLit)
		if !ok {
			return true
		}
		found++
		number, _ := constant.Int64Val(constant.MakeFromLiteral(lit.Value, lit.Kind, 0))
		name := strings.ToUpper(strings.TrimPrefix(v.Names[0].Name, "op"))
		row := "| " + strconv.FormatInt(number, 10) + " | " + name + " |"
		if name == "EAGER" {
			row = "| " + strconv.FormatInt(number, 10) + "-" + strconv.FormatInt(number+7, 10) + " | " + name + " |"
		}
		if !strings.Contains(page, row) {
			t.Errorf("docs/wire/shm.md has no row %q", row)
		}
		return true
	})
	if rows := strings.Count(page, "\n| ") - 12; found < 15 || rows < found {
		t.Errorf("%d messages in the code, %d rows", found, rows)
	}
}
