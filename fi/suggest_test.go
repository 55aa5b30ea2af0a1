package fi

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSuggest(t *testing.T) {
	known := []string{"FI_MSG", "FI_RMA", "FI_TAGGED", "FI_MULTI_RECV", "FI_LOG_LEVEL", "FI_PROVIDER", "--local"}
	for word, want := range map[string]string{
		"FI_MSG": "FI_MSG", "fi_mgs": "FI_MSG", "rma": "FI_RMA", " RMAA ": "FI_RMA", "FI_LOGLEVEL": "FI_LOG_LEVEL",
		"FI_PROVIDERS": "FI_PROVIDER", "FI_PROV": "FI_PROVIDER", "--locla": "--local", "": "", "FI_": "", "x": "",
		"zzzzzz": "", "FI_SOMETHING_ELSE": "",
		strings.Repeat("FI_MSG", 1000): "",
	} {
		if got := Suggest(word, known); got != want {
			t.Errorf("Suggest(%.20q) = %q, want %q", word, got, want)
		}
	}
	if got := Suggest("FI_RMA", nil); got != "" {
		t.Errorf("nothing is known, but %q", got)
	}
}

func TestEditDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"A", "", 1}, {"", "AB", 2}, {"AB", "BA", 1}, {"ABC", "ADC", 1}, {"RMA", "RAM", 1}, {"KITTEN", "SITTING", 3}} {
		if got := editDistance(c.a, c.b); got != c.want {
			t.Errorf("%q to %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching("[AB]{0,8}")
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		d := editDistance(a, b)
		if d != editDistance(b, a) || d > max(len(a), len(b)) || (d == 0) != (a == b) || d < max(len(a), len(b))-min(len(a), len(b)) {
			t.Fatalf("%d", d)
		}
	})
}
