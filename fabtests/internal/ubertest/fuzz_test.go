package ubertest

import (
	"bytes"
	"strings"
	"testing"
)

// FuzzDecode decodes what a peer may say: what is let through is a test that is said the same way again.
func FuzzDecode(f *testing.F) {
	for t := range tests(mustParse(f, everything)) {
		if t.Index > 50 {
			break
		}
		f.Add(t.encode())
	}
	f.Add([]byte{})
	f.Add(bytes.Repeat([]byte{0xff}, testSize))
	f.Fuzz(func(t *testing.T, b []byte) {
		if name, err := decodeName(b); err == nil && len(name) == 0 {
			t.Error("an address without a byte")
		}
		d, err := decode(b)
		if err != nil {
			return
		}
		again, err := decode(d.encode())
		if err != nil || *again != *d {
			t.Errorf("%+v\nis said as\n%+v: %v", d, again, err)
		}
		if !printable(d.String()) {
			t.Errorf("%q", d)
		}
	})
}

// FuzzParse reads files: it ends, and what it takes makes as many tests as were counted.
func FuzzParse(f *testing.F) {
	f.Add(everything)
	f.Add("{ #: x, prov_name: \"a b\" }")
	f.Add("{ test_type: FT_TEST_UNIT, test_class: [FT_CAP_MSG,], ep_type: [FI_EP_MSG] }")
	f.Fuzz(func(t *testing.T, text string) {
		sets, err := parse(text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "line ") {
				t.Errorf("no line: %v", err)
			}
			return
		}
		most := 0
		for _, s := range sets {
			most += s.count()
		}
		n := 0
		for d := range tests(sets) {
			if n++; n > 200 {
				break
			}
			if what := d.wrong(); what != "" && !(what == "comp_type" && d.Comp == 0) {
				t.Fatalf("test %d has a wrong %s", d.Index, what)
			}
		}
		if n > most {
			t.Errorf("%d tests of %d", n, most)
		}
	})
}
