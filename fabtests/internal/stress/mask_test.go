package stress

import "testing"

func TestParseMask(t *testing.T) {
	for _, c := range []struct {
		in   string
		want mask
		bad  bool
	}{
		{"all", opAll, false},
		{"msg", opMsg, false},
		{"msg, tagged", opMsg | opTagged, false},
		{"-peek", opAll &^ opPeek, false},
		{"all,-peek,-av", opAll &^ (opPeek | opAV), false},
		{"peeek", 0, true},
		{"", 0, true},
		{"peek,cancel", 0, true}, // nothing to peek at
		{"-all", 0, true},
	} {
		got, err := parseMask(c.in)
		if got != c.want || (err != nil) != c.bad {
			t.Errorf("%q: %v, %v, want %v", c.in, got, err, c.want)
		}
		if again, err := parseMask(got.String()); !c.bad && (err != nil || again != got) {
			t.Errorf("%q prints %q, which is read as %v, %v", c.in, got, again, err)
		}
	}
	if 1<<len(opWords) != int(opAll)+1 {
		t.Errorf("%d words for the bits of %#x", len(opWords), uint32(opAll))
	}
}
