package wire

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var page = filepath.Join("..", "..", "..", "docs", "wire", "tcp-extension.md")

// exampleText shows a header as the page does: the base header as its fields, then a word a column, three a line.
func exampleText(s *sample, t testing.TB) string {
	b := s.wire(t, Little)
	var out strings.Builder
	out.WriteString(s.name + "\n ")
	for i, n := 0, 0; i < BaseSize; i += n {
		n = 1
		switch i {
		case 2:
			n = 2
		case 8:
			n = 8
		}
		out.WriteString(" " + hexOf(b[i:i+n]))
	}
	for i := BaseSize; i < len(b); i += 8 {
		if (i-BaseSize)%24 == 0 {
			out.WriteString("\n   ")
		}
		out.WriteString(" " + hexOf(b[i:i+8]))
	}
	return out.String()
}

// TestPage compares docs/wire/tcp-extension.md with the code: operations and examples.
func TestPage(t *testing.T) {
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	names := map[Op]string{
		ExtMsg: "MESSAGE", ExtTagged: "TAGGED", ExtRTS: "RTS", ExtTaggedRTS: "TAGGED RTS", ExtPull: "PULL", ExtData: "DATA",
		ExtDone: "DONE", ExtCancel: "CANCEL", ExtWrite: "WRITE", ExtRead: "READ", ExtReadData: "READ DATA",
		ExtAtomic: "ATOMIC", ExtResult: "RESULT", ExtHold: "HOLD", ExtHeld: "HELD", ExtPing: "PING", ExtPong: "PONG",
		ExtGoodbye: "GOODBYE",
	}
	for op := range Op(maxOp) {
		if !allExt.Has(op) || op < ExtMsg {
			continue
		}
		row := fmt.Sprintf("\n| %d | %s | ", op, names[op])
		_, rest, ok := strings.Cut(text, row)
		if !ok {
			t.Errorf("no row %q", row)
			continue
		}
		cells := strings.Split(rest, "|")
		if extRules[op].payload == (strings.TrimSpace(cells[2]) == "") {
			t.Errorf("%v: payload is %q", op, cells[2])
		}
		flags := Flags(0)
		for f := Flags(1); f != 0; f <<= 1 {
			if strings.Contains(strings.ReplaceAll(cells[1]+" ", ",", " "), fmt.Sprintf(" %#x ", uint16(f))) {
				flags |= f
			}
		}
		if flags != extRules[op].flags {
			t.Errorf("%v: flags are %q", op, cells[1])
		}
		words := strings.Count(cells[0], ",") + 1
		if strings.TrimSpace(cells[0]) == "" {
			words = 0
		}
		words -= strings.Count(cells[0], "[data]") + strings.Count(cells[0], "triple")
		if words != int(extRules[op].words) {
			t.Errorf("%v: words are %q", op, cells[0])
		}
	}
	for _, s := range extSamples {
		if e := exampleText(&s, t); !strings.Contains(text, "\n"+e+"\n") {
			t.Errorf("no example\n%s", e)
		}
	}
	for _, c := range controls {
		if c.c.Offer.Features == AllFeatures && !strings.Contains(text, "\n"+c.golden+"\n") {
			t.Errorf("no example %q", c.golden)
		}
	}
	for _, m := range []uint64{magicRequest, magicResponse} {
		var b [8]byte
		be.PutUint64(b[:], m)
		if s := fmt.Sprintf("`% x` (\"%s\")", b, b); !strings.Contains(text, s) {
			t.Errorf("no %s", s)
		}
	}
}
