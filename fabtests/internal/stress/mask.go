package stress

import (
	"fmt"
	"strings"

	"github.com/gofabric/gofabric/fi"
)

// mask is a set of things to do (--ops).
type mask uint32

// Things to do.
const (
	opMsg mask = 1 << iota
	opTagged
	opInject
	opVector
	opData
	opLevel
	opMulti
	opUnexpected
	opDirected
	opCancel
	opPeek
	opRMA
	opAtomic
	opAV
	opReopen
	opThreads
	opAll mask = 1<<iota - 1
)

// opWords are the names of the bits, in their order.
var opWords = []string{"msg", "tagged", "inject", "vector", "data", "level", "multi", "unexpected", "directed", "cancel",
	"peek", "rma", "atomic", "av", "reopen", "threads"}

// parseMask reads "msg,tagged" or, with a minus before each word, all but those.
func parseMask(s string) (mask, error) {
	var yes, no mask
	for w := range strings.SplitSeq(s, ",") {
		name, without := strings.CutPrefix(strings.TrimSpace(w), "-")
		bit := mask(0)
		for i, known := range opWords {
			if known == name {
				bit = 1 << i
			}
		}
		switch {
		case name == "all" && !without:
			bit = opAll
		case bit == 0:
			text := fmt.Sprintf("there is no %q: %s, each with - before it to leave it out", w, strings.Join(opWords, ", "))
			if near := fi.Suggest(name, opWords); near != "" {
				text = fmt.Sprintf("there is no %q: did you mean %s?", w, near)
			}
			return 0, fmt.Errorf("%s", text)
		}
		if without {
			no |= bit
		} else {
			yes |= bit
		}
	}
	if yes == 0 {
		yes = opAll
	}
	m := yes &^ no
	if m&(opMsg|opTagged|opRMA|opAtomic) == 0 {
		return 0, fmt.Errorf("%q leaves nothing to do: it needs msg, tagged, rma or atomic", s)
	}
	return m, nil
}

// String gives the words.
func (m mask) String() string {
	if m == opAll {
		return "all"
	}
	var words []string
	for i, w := range opWords {
		if m&(1<<i) != 0 {
			words = append(words, w)
		}
	}
	return strings.Join(words, ",")
}

func (m mask) has(x mask) bool { return m&x != 0 }
