package main

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

const root = "../.."

func TestPageIsCurrent(t *testing.T) {
	want, err := page(os.DirFS(root), lists)
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
var objects = []string{"cq_", "cntr_", "av_", "av_set_", "mc_", "mr_", "ep_", "eq_"}

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
	"fi_fabric":           "objects are opened: Open",
	"fi_domain":           "objects are opened: OpenDomain",
	"fi_endpoint":         "objects are opened: OpenEndpoint",
	"fi_passive_ep":       "objects are opened: OpenPassive",
	"fi_pep_bind":         "a method for each kind of object: BindEQ",
	"fi_srx_context":      "objects are opened: OpenSharedRx",
	"fi_stx_context":      "objects are opened: OpenSharedTx",
	"fi_scalable_ep":      "objects are opened: OpenScalable",
	"fi_scalable_ep_bind": "a method for each kind of object: BindAV",
	"fi_av_set":           "objects are opened: OpenSet",
	"fi_cntr_open":        "the object is called Counter: OpenCounter",
	"fi_ep_bind":          "a method for each kind of object: BindCQ",
	"fi_mr_bind":          "a method for each kind of object: BindCounter",
	"fi_getname":          "a getter in Go has no get: Name",
	"fi_dupinfo":          "Go's word: Clone",
	"fi_tc_dscp_set":      "a function that makes the value: DSCPClass",
	"fi_tc_dscp_get":      "a method of the value: DSCP",
	"fi_tag_mpi":          "TagMPI is the constant FI_TAG_MPI: MPITag",
	"fi_mr_reg":           "a region is registered in a domain: RegisterMR",
	"fi_mr_regv":          "a region is registered in a domain: RegisterMRV",
	"fi_mr_regattr":       "a region is registered in a domain: RegisterMRAttr",
	"fi_cq_readfrom":      "Read fills the source",
	"fi_cq_sreadfrom":     "SRead fills the source",
	"fi_control":          "a method for each command: FD",
}

func TestNamesCanBeGuessed(t *testing.T) {
	entries, err := scan(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	l, err := readLists(lists)
	if err != nil {
		t.Fatal(err)
	}
	ours := map[string][]string{}
	for _, e := range entries {
		if slices.Contains(l.calls, e.c) {
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
		{c: "FI_A", ours: "fi.A", note: `a \| b`}, {c: "FI_A2", ours: "fi.A", note: `a \| b`},
		{c: "fi_did", ours: "fi.(*T).Do", note: "Do does len(x) things, with parts (of two)"},
		{c: "fi_do", ours: "fi.(*T).Do", note: "Do does len(x) things, with parts (of two)"},
		{c: "fi_no", ours: "fi.(*T).Do", note: "Do does len(x) things, with parts (of two)"},
		{c: "struct fi_t", ours: "fi.T", note: "T is a type"},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(entry{})); diff != "" {
		t.Error(diff)
	}
}

func TestListIsChecked(t *testing.T) {
	for _, c := range []struct{ source, names, headers, reasons, err string }{
		{"", "fi_a\n", "", "", "fi_a has no counterpart"},
		{"// A (fi_a).\nfunc A() {}", "fi_a later\n", "", "", "fi_a has a counterpart"},
		{"// A (fi_a).\nfunc A() {}", "", "", "", "fi.A names fi_a, which is no call"},
		{"// A (fi_a).\nfunc A() {}", "# list\nfi_a\nfi_b later\nfi_c = x\n", "", "", ""},
		{"// A (fi_a).\ntype A int", "type fi_a\n", "struct fi_a", "", ""},
		{"// A (struct fi_a).\ntype A int", "", "enum fi_a", "", "fi.A names struct fi_a, which is not in headers.txt"},
		{"// A (struct fi_a).\ntype A int", "", "struct fi_a\nenum fi_b", "enum fi_b later", ""},
		{"", "", "FI_A FI_B", "FI_A later", "FI_B has no counterpart"},
		{"", "", "FI_A_X FI_A_Y FI_B", "FI_A_X no\nFI_A_* later\nFI_B = y", ""},
		{"", "", "FI_A", "FI_* later\nFI_A no", "FI_A needs no reason"},
		{"const A = 1 // FI_A: one", "", "FI_A", "FI_A later", "FI_A needs no reason"},
		{"const A = 1 // FI_PROTO_GO_A: ours", "", "", "", ""},
	} {
		files := fstest.MapFS{"names.txt": {Data: []byte(c.names)}, "headers.txt": {Data: []byte(c.headers)},
			"reasons.txt": {Data: []byte(c.reasons)}, "fields.txt": {}}
		_, err := page(tree(c.source), files)
		if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%+v: got %v", c, err)
		}
	}
}

// TestListsAreLong guards against a list that was cut.
func TestListsAreLong(t *testing.T) {
	l, err := readLists(lists)
	if err != nil {
		t.Fatal(err)
	}
	if len(l.calls) < 180 || len(l.words) < 600 {
		t.Errorf("%d calls, %d constants and types", len(l.calls), len(l.words))
	}
	for _, c := range append(slices.Clone(l.calls), l.words...) {
		if !slices.ContainsFunc([]string{"fi_", "fid_", "FI_", "struct fi", "enum fi_"}, func(p string) bool { return strings.HasPrefix(c, p) }) {
			t.Errorf("%s is no name of libfabric", c)
		}
	}
}

// TestReasonsNameWhatExists looks for the names that stand for others: `fi.NIC.BusType`, `(*Endpoint).Alias`.
func TestReasonsNameWhatExists(t *testing.T) {
	sources := map[string]string{}
	for _, pkg := range packages {
		files, err := filepath.Glob(filepath.Join(root, pkg, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatal(pkg, err)
		}
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			sources[pkg] += string(data)
		}
	}
	l, err := readLists(lists)
	if err != nil {
		t.Fatal(err)
	}
	texts := slices.Collect(maps.Values(l.absent))
	for _, r := range l.reasons {
		texts = append(texts, r.text)
	}
	fields, err := lists.ReadFile("fields.txt")
	if err != nil {
		t.Fatal(err)
	}
	texts = append(texts, strings.Split(string(fields), "\n")...)
	quoted := regexp.MustCompile("`([^`]+)`")
	name := regexp.MustCompile(`^(fi|fabric|mr|cq|atomic)\.(?:\(\*(\w+)\)\.)?(.*?)(?:\(.*)?$`)
	for _, text := range texts {
		for _, q := range quoted.FindAllStringSubmatch(text, -1) {
			m := name.FindStringSubmatch(q[1])
			if m == nil {
				if strings.HasPrefix(q[1], "(*") {
					t.Errorf("%s: say of which package", q[1])
				}
				continue
			}
			pkg, words := m[1], strings.Split(m[3], ".")
			if m[2] != "" {
				words = append(words, m[2])
			}
			for _, w := range words {
				if ok, err := regexp.MatchString(`\b`+w+`\b`, sources[pkg]); !ok || err != nil {
					t.Errorf("%s: package %s has no %s", q[1], pkg, w)
				}
			}
		}
	}
}

// TestSearchForTheCNameLandsHere is the eighth point of the first five minutes.
func TestSearchForTheCNameLandsHere(t *testing.T) {
	data, err := os.ReadFile("../rosetta.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(data), "\n| `fi_tsenddata` | `fabric.(*Endpoint).TSendData` | ") {
		t.Error("docs/rosetta.md does not lead from fi_tsenddata to TSendData")
	}
	data, err = os.ReadFile(filepath.Join(root, "fabric", "tagged.go"))
	if err != nil {
		t.Fatal(err)
	}
	if ok, _ := regexp.MatchString(`(?s)// TSendData [^\n]*\(fi_tsenddata\).*\nfunc \(ep \*Endpoint\) TSendData\(`, string(data)); !ok {
		t.Error("the comment of TSendData does not name fi_tsenddata")
	}
}
