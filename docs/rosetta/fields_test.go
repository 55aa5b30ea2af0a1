package main

import (
	"os"
	"strings"
	"testing"
)

func TestFieldTable(t *testing.T) {
	root := tree(`
type Base struct { Len int }
type T struct {
	Base
	MaxSize int // bytes
	Other   bool
	hidden  int
}
`)
	for _, c := range []struct{ text, row, err string }{
		{"max_size\nlen\n.Other ours", "| `fi_t.max_size` | `fi.T.MaxSize` | bytes |", ""},
		{"max_size\nlen\n.Other ours", "| ours | `fi.T.Other` | not in `fi_t` |", ""},
		{"a > MaxSize\nb > MaxSize\nlen\nother", "| `fi_t.b` | `fi.T.MaxSize` | bytes |", ""},
		{"max_size\nlen\nother\nx = `fi.T.Len`", "| `fi_t.x` | `fi.T.Len` |  |", ""},
		{"max_size\nlen\nother\nx later", "| `fi_t.x` | not here | later |", ""},
		{"max_size\nlen\nother\nhidden", "", "has no field for fi_t.hidden"},
		{"max_size\nlen\nother\nx > Max", "", "has no field for fi_t.x"},
		{"max_size later\nlen\nother", "", "fi_t.max_size has a counterpart"},
		{"max_size\nlen", "", "fi.T.Other is in no line"},
		{"max_size\nlen\nother\n.Other ours", "", "no field Other, or fi_t has it"},
	} {
		rows, wrong, err := fieldTable(root, "struct fi_t fi.T\n"+c.text)
		if err != nil {
			t.Fatal(err)
		}
		all := strings.Join(wrong, "\n")
		if c.err == "" && all != "" || !strings.Contains(all, c.err) || !strings.Contains(strings.Join(rows, "\n"), c.row) {
			t.Errorf("%q: rows %q, wrong %q", c.text, rows, wrong)
		}
	}
	if _, wrong, _ := fieldTable(root, "struct fi_t fi.Nothing"); len(wrong) != 1 {
		t.Errorf("a structure that does not exist: %q", wrong)
	}
}

// TestStructuresHaveTheirFields wants every structure of C that a structure of ours stands for to be in fields.txt.
func TestStructuresHaveTheirFields(t *testing.T) {
	text, err := lists.ReadFile("fields.txt")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := scan(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	ours, err := structs(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range entries {
		if !strings.HasPrefix(e.c, "struct fi_") || len(ours[e.ours]) == 0 {
			continue
		}
		n++
		if !strings.Contains(string(text), "\n"+e.c+" "+e.ours+"\n") {
			t.Errorf("fields.txt has no fields of %s, which is %s", e.c, e.ours)
		}
	}
	if n < 15 {
		t.Errorf("only %d structures", n)
	}
}

// TestSearchForAFieldLandsHere takes the way of somebody who knows a field's name in C.
func TestSearchForAFieldLandsHere(t *testing.T) {
	data, err := os.ReadFile("../rosetta.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{
		"\n| `fi_domain_attr.data_progress` | `fi.DomainAttr.Progress` | ",
		"\n| `fi_tx_attr.inject_size` | `fi.TxAttr.InjectSize` | bytes |",
		"\n| `fi_mr_attr.requested_key` | `fi.MRAttr.Key` | ",
		"\n| `fi_endpoint2` | `fabric.(*Domain).OpenEndpoint` | ",
		"| OpenCounter makes a counter |\n| `fi_cntr_open` | `cq.Counter` |", // what programs call comes first
	} {
		if !strings.Contains(string(data), row) {
			t.Errorf("docs/rosetta.md has no %q", row)
		}
	}
}
