package conformance

import (
	"encoding/gob"
	"io"
	"slices"
	"testing"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/providers/mem"
)

// TestAgentConnects connects two sides over pipes, as those of a second process are.
func TestAgentConnects(t *testing.T) {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- serveAgent(mem.New(), inR, outW) }()
	a := &agent{enc: gob.NewEncoder(inW), dec: gob.NewDecoder(outR), in: inW}
	do := func(q *request) *response {
		r, err := a.do(q)
		if err == nil {
			err = r.err()
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range r.Trouble {
			t.Error(text)
		}
		return r
	}
	do(&request{Verb: vBaseline})
	o := openOpts{Caps: msg | tagged, Set: settings{EP: fi.EPMsg}.standard()}
	var names [][]byte
	for n := range 2 {
		names = append(names, do(&request{Node: n, Verb: vOpen, Open: o}).Names[0])
	}
	do(&request{Node: 0, Verb: vDial, Names: names[1:]})
	if n := do(&request{Node: 1, Verb: vStep}).N; n != 1 {
		t.Errorf("the answering side has %d connections", n)
	}
	if n := do(&request{Node: 0, Verb: vStep}).N; n != 1 {
		t.Errorf("the asking side has %d connections", n)
	}
	do(&request{Node: 1, Verb: vPost, Call: call{Form: "trecv", N: 100, Tag: 3, To: nonsense}})
	do(&request{Node: 0, Verb: vPost, Call: call{Form: "tsend", N: 50, Tag: 3, Seed: 4, To: nonsense}})
	comps := do(&request{Node: 1, Verb: vPoll}).Comps
	if i := slices.IndexFunc(comps, func(c comp) bool { return c.Len == 50 }); i < 0 || differs(comps[i].Bytes, 4, 0) != "" {
		t.Errorf("completions: %+v", comps)
	}
	for n := range 2 {
		do(&request{Node: n, Verb: vClose})
	}
	do(&request{Verb: vLeaks})
	inW.Close()
	if err := <-served; err != io.EOF { //nolint:errorlint // as Decode gives it
		t.Error(err)
	}
}
