package main

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

const root = "../.."

func TestPageIsCurrent(t *testing.T) {
	want, err := page(os.DirFS(root), names)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../rosetta.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("docs/rosetta.md is not current: run go generate ./docs\n%s", diff)
	}
}

// objects are the prefixes of calls that become receivers.
var objects = []string{"cq_", "cntr_", "av_", "mr_", "ep_", "eq_"}

// guess gives the names that the rule makes of a call, in lower case.
func guess(c string) []string {
	name := strings.TrimPrefix(c, "fi_")
	list := []string{strings.ReplaceAll(name, "_", "")}
	for _, o := range objects {
		if rest, ok := strings.CutPrefix(name, o); ok {
			list = append(list, strings.ReplaceAll(rest, "_", ""))
			if rest == "open" {
				list = append(list, "open"+strings.TrimSuffix(o, "_"))
			}
		}
	}
	return list
}

// exceptions are the calls whose names the rule does not make, each with the reason.
var exceptions = map[string]string{
	"fi_fabric":       "objects are opened: Open",
	"fi_domain":       "objects are opened: OpenDomain",
	"fi_endpoint":     "objects are opened: OpenEndpoint",
	"fi_srx_context":  "objects are opened: OpenSharedRx",
	"fi_cntr_open":    "the object is called Counter: OpenCounter",
	"fi_ep_bind":      "a method for each kind of object: BindCQ",
	"fi_mr_bind":      "a method for each kind of object: BindCounter",
	"fi_getname":      "a getter in Go has no get: Name",
	"fi_dupinfo":      "Go's word: Clone",
	"fi_tc_dscp_set":  "a function that makes the value: DSCPClass",
	"fi_tc_dscp_get":  "a method of the value: DSCP",
	"fi_mr_reg":       "a region is registered in a domain: RegisterMR",
	"fi_mr_regv":      "a region is registered in a domain: RegisterMRV",
	"fi_mr_regattr":   "a region is registered in a domain: RegisterMRAttr",
	"fi_cq_readfrom":  "Read fills the source",
	"fi_cq_sreadfrom": "SRead fills the source",
	"fi_control":      "a method for each command: FD",
}

func TestNamesCanBeGuessed(t *testing.T) {
	entries, err := scan(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	ours := map[string][]string{}
	for _, e := range entries {
		if slices.Contains(readList(names).calls, e.c) {
			ours[e.c] = append(ours[e.c], strings.ToLower(e.ours[strings.LastIndex(e.ours, ".")+1:]))
		}
	}
	for c, list := range ours {
		guessed := slices.ContainsFunc(guess(c), func(g string) bool { return slices.Contains(list, g) })
		switch reason := exceptions[c]; {
		case !guessed && reason == "":
			t.Errorf("%s is %v, and the rule says %v", c, list, guess(c))
		case guessed && reason != "":
			t.Errorf("%s follows the rule: it is no exception", c)
		}
	}
	for c := range exceptions {
		if ours[c] == nil {
			t.Errorf("the exception %s has no counterpart", c)
		}
	}
}

// tree makes a module of one file in package fi; the other packages are empty.
func tree(source string) fstest.MapFS {
	m := fstest.MapFS{"fi/a.go": {Data: []byte("package fi\n" + source)}}
	for _, p := range packages[1:] {
		m[p+"/doc.go"] = &fstest.MapFile{Data: []byte("package " + p + "\n")}
	}
	return m
}

func TestScan(t *testing.T) {
	got, err := scan(tree(`
// T is a type (struct fi_t, fi_cq(3)). More.
type T struct{}

// Do does len(x)
// things (fi_do, and fi_did: both), with parts (of two). More (fi_no).
//
// Also (fi_not).
func (t *T) Do() {}
func (t *t) Hidden() {}

const (
	A = 1 // FI_A, FI_A2: a | b
	B = 2 // nothing from FI_X
)
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []entry{
		{"FI_A", "fi.A", `a \| b`}, {"FI_A2", "fi.A", `a \| b`},
		{"fi_did", "fi.(*T).Do", "Do does len(x) things, with parts (of two)"},
		{"fi_do", "fi.(*T).Do", "Do does len(x) things, with parts (of two)"},
		{"fi_no", "fi.(*T).Do", "Do does len(x) things, with parts (of two)"},
		{"struct fi_t", "fi.T", "T is a type"},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(entry{})); diff != "" {
		t.Error(diff)
	}
}

func TestListIsChecked(t *testing.T) {
	for _, c := range []struct{ source, list, err string }{
		{"", "fi_a\n", "fi_a has no counterpart"},
		{"// A (fi_a).\nfunc A() {}", "fi_a later\n", "fi_a has a counterpart"},
		{"// A (fi_a).\nfunc A() {}", "", "fi.A names fi_a, which is no call"},
		{"// A (fi_a).\nfunc A() {}", "# list\nfi_a\nfi_b later\nfi_c = x\n", ""},
		{"// A (fi_a).\ntype A int", "type fi_a\n", ""},
	} {
		_, err := page(tree(c.source), c.list)
		if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%q with %q: got %v, want %q", c.source, c.list, err, c.err)
		}
	}
}
