package conformance

import (
	"encoding/gob"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/providers/mem"
)

// TestVerdict sees that known failures are strict.
func TestVerdict(t *testing.T) {
	good, bad := &Result{Path: "rdm/rma/write"}, &Result{Path: "rdm/rma/write", Failures: []string{"wrong"}}
	for _, c := range []struct {
		r     *Result
		known map[string]string
		fails bool
		key   string
	}{
		{good, nil, false, ""},
		{bad, nil, true, ""},
		{bad, map[string]string{"rma/write": "issue 41"}, false, "rma/write"},
		{good, map[string]string{"rma/write": "issue 41"}, true, "rma/write"},
		{bad, map[string]string{"rdm/rma/write": "issue 41"}, false, "rdm/rma/write"},
		{bad, map[string]string{"rdm,av=table/rma/write": "issue 41"}, true, ""},
		{bad, map[string]string{"rma": "issue 41"}, true, ""},
	} {
		key, failures, _ := verdict(c.r, c.known)
		if key != c.key || (len(failures) > 0) != c.fails {
			t.Errorf("%v with %v: %q, %v", c.r, c.known, key, failures)
		}
	}
}

// TestNames sees that cases have names of their own, which -run can choose.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for _, tc := range allCases {
		path := tc.family + "/" + tc.name
		if seen[path] || tc.name == "" || strings.ContainsAny(path, " \t()|[]*+?^$") || tc.run == nil {
			t.Errorf("case %q", path)
		}
		seen[path] = true
	}
}

// TestMatrix lists the cells of mem.
func TestMatrix(t *testing.T) {
	cells, err := matrix(mem.New())
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	standard := 0
	for _, c := range cells {
		if names[c.name] {
			t.Errorf("two cells %q", c.name)
		}
		names[c.name] = true
		if c.standard {
			standard++
		}
	}
	if standard != 3 || !names["msg"] || !names["dgram"] || !names["rdm"] || !names["rdm,progress=manual"] || len(cells) < 7 {
		t.Errorf("cells: %v", names)
	}
}

// TestPattern writes patterns in pieces.
func TestPattern(t *testing.T) {
	whole := pattern(7, 5000)
	for _, n := range []int{1, 7, 8, 9, 1000, 1024, 1025} {
		b := make([]byte, 5000)
		for off := 0; off < len(b); off += n {
			fill(b[off:min(off+n, len(b))], 7, off)
		}
		if d := firstDiff(b, whole); d != "" {
			t.Errorf("in pieces of %d: %s", n, d)
		}
	}
	whole[4321] ^= 1
	if d := differs(whole, 7, 0); !strings.HasPrefix(d, "byte 4321 of 5000") {
		t.Errorf("a wrong byte: %q", d)
	}
	if differs(pattern(8, 100), 7, 0) == "" {
		t.Error("two seeds have one pattern")
	}
	b := make([]byte, 100)
	fillByte(b, 5)
	if !allBytes(b, 5) || allBytes(b, 4) || !allBytes(nil, 4) {
		t.Error("fillByte or allBytes")
	}
}

// TestAgent talks to a second side over pipes, as with a second process.
func TestAgent(t *testing.T) {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- serveAgent(mem.New(), inR, outW) }()
	a := &agent{enc: gob.NewEncoder(inW), dec: gob.NewDecoder(outR), in: inW}
	do := func(q *request) *response {
		r, err := a.do(q)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range r.Trouble {
			t.Error(text)
		}
		return r
	}
	do(&request{Verb: vBaseline})
	o := openOpts{Caps: msg | tagged | rma | atom, Set: settings{EP: fi.EPRDM}.standard()}
	r := do(&request{Node: 1, Verb: vOpen, Open: o})
	if r.Err != nil || len(r.Names) != 1 {
		t.Fatalf("open: %v, %v", r.Err, r.Names)
	}
	ins := do(&request{Node: 1, Verb: vInsert, Names: r.Names})
	do(&request{Node: 1, Verb: vPost, Call: call{Form: "trecv", N: 100, Tag: 3, To: anyone}})
	do(&request{Node: 1, Verb: vPost, Call: call{Form: "tsend", N: 50, Tag: 3, Seed: 4, To: ins.Addrs[0]}})
	comps := do(&request{Node: 1, Verb: vPoll}).Comps
	i := slices.IndexFunc(comps, func(c comp) bool { return c.Flags&fi.CompRecv != 0 })
	if len(comps) != 2 || i < 0 || comps[i].Len != 50 || differs(comps[i].Bytes, 4, 0) != "" {
		t.Errorf("completions: %+v", comps)
	}
	bad := do(&request{Node: 1, Verb: vPost, Call: call{Form: "tsend", N: 8, To: 77}})
	if !isErr(bad.err(), fi.ErrInvalid) {
		t.Errorf("an error from the other side: %v", bad.err())
	}
	do(&request{Node: 1, Verb: vCheck})
	if r := do(&request{Node: 1, Verb: vClose}); r.Err != nil {
		t.Error(r.Err)
	}
	do(&request{Verb: vLeaks})
	inW.Close()
	if err := <-served; err != io.EOF { //nolint:errorlint // as Decode gives it
		t.Error(err)
	}
	if _, err := a.do(&request{}); err == nil {
		t.Error("a request to a side that is gone was answered")
	}
}

// TestHang sees that a case that does not end is a failure, and that it ends where it next waits.
func TestHang(t *testing.T) {
	s, err := newSuite(&Harness{Provider: mem.New(), Patience: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	tc := &testCase{family: "x", name: "y", run: func(t *test) {
		defer close(ended)
		side := t.newSide(t.opts(msg))
		for {
			side.poll()
		}
	}}
	s.limit = 50 * time.Millisecond
	r := s.run(s.cells[0], tc)
	if !r.Failed() || !strings.HasPrefix(r.Failures[0], "did not end") {
		t.Errorf("%v", r.Failures)
	}
	<-ended
}

// TestPanic sees that a panic is a failure of its case alone.
func TestPanic(t *testing.T) {
	s, err := newSuite(&Harness{Provider: mem.New()})
	if err != nil {
		t.Fatal(err)
	}
	r := s.run(s.cells[0], &testCase{family: "x", name: "y", run: func(*test) { panic("oh") }})
	if !r.Failed() || !strings.HasPrefix(r.Failures[0], "panic: oh") {
		t.Errorf("%v", r.Failures)
	}
}
