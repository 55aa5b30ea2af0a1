package envknob

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fi"
)

// env makes a look-up from pairs of name and value.
func env(pairs ...string) Lookup {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(name string) (string, bool) { v, ok := m[name]; return v, ok }
}

// The definitions of this file live in the global registry of the test binary, as real ones do.
var (
	testString = String("FI_KNOBTEST_STRING", "knobtest", "a text", "dflt")
	testChoice = Choice("FI_KNOBTEST_ROAD", "knobtest", "a word", "auto", "auto", "map", "CMA")
	testInt    = Between(Int("FI_KNOBTEST_INT", "knobtest", "a number", 7), -5, 100)
	testSize   = Size("FI_KNOBTEST_SIZE", "knobtest", "a size", 4096)
	testBool   = Bool("FI_KNOBTEST_BOOL", "knobtest", "a switch", On)
)

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		text string
		want int
		ok   bool
	}{
		{"12", 12, true}, {" 12 ", 12, true}, {"0x10", 16, true}, {"-3", -3, true}, {"010", 10, true}, {"0", 0, true},
		{"-5", -5, true}, {"100", 100, true}, {"-6", 7, false}, {"101", 7, false},
		{"1_0", 7, false}, {"1k", 7, false}, {"x", 7, false}, {"1.5", 7, false}, {"99999999999999999999", 7, false},
	} {
		got, err := testInt.Get(env("FI_KNOBTEST_INT", c.text))
		if got != c.want || (err == nil) != c.ok {
			t.Errorf("int %q: got %d, %v", c.text, got, err)
		}
	}
	for _, c := range []struct {
		text string
		want int
		ok   bool
	}{
		{"0", 0, true}, {"64", 64, true}, {"64k", 64 << 10, true}, {"2M", 2 << 20, true}, {"1 g", 1 << 30, true},
		{"0x1000", 4096, true}, {"-1", 4096, false}, {"k", 4096, false}, {"1kb", 4096, false},
		{"9999999999999g", 4096, false}, {"0xg", 4096, false},
	} {
		got, err := testSize.Get(env("FI_KNOBTEST_SIZE", c.text))
		if got != c.want || (err == nil) != c.ok {
			t.Errorf("size %q: got %d, %v", c.text, got, err)
		}
	}
	if v, err := parseSize("9223372036854775807"); math.MaxInt == math.MaxInt64 && (err != nil || v != math.MaxInt64) {
		t.Errorf("largest size: got %d, %v", v, err)
	}
}

func TestSwitchesAndWords(t *testing.T) {
	for text, want := range map[string]bool{
		"0": false, "1": true, "on": true, "OFF": false, "True": true, "false": false, "yes": true, "no": false, "": true,
	} {
		if got, err := testBool.Get(env("FI_KNOBTEST_BOOL", text)); got != want || err != nil {
			t.Errorf("bool %q: got %v, %v", text, got, err)
		}
	}
	for _, bad := range []string{"2", "y", "enable", "tru"} {
		if got, err := testBool.Get(env("FI_KNOBTEST_BOOL", bad)); err == nil || !got {
			t.Errorf("bool %q: got %v, %v", bad, got, err)
		}
	}
	if got, err := testChoice.Get(env("FI_KNOBTEST_ROAD", "cma")); got != "CMA" || err != nil {
		t.Errorf("choice: got %q, %v", got, err)
	}
	if got, err := testChoice.Get(env("FI_KNOBTEST_ROAD", "bus")); got != "auto" || err == nil {
		t.Errorf("choice: got %q, %v", got, err)
	}
	if got, err := testString.Get(env("FI_KNOBTEST_STRING", " a b ")); got != "a b" || err != nil {
		t.Errorf("string: got %q, %v", got, err)
	}
}

func TestUnsetAndEmptyMeanDefault(t *testing.T) {
	unset := func(string) (string, bool) { return "7", false } // what it gives beside false counts for nothing
	for _, e := range []Lookup{nil, env(), env("FI_KNOBTEST_INT", ""), env("FI_KNOBTEST_INT", "  "), unset} {
		if got, err := testInt.Get(e); got != testInt.Default() || err != nil {
			t.Errorf("got %d, %v", got, err)
		}
	}
}

func TestBadValueExplainsItself(t *testing.T) {
	_, err := testInt.Get(env("FI_KNOBTEST_INT", "many"))
	var fe *fi.Error
	if !errors.As(err, &fe) || !errors.Is(err, fi.ErrInvalid) {
		t.Fatalf("got %v", err)
	}
	for _, part := range []string{"FI_KNOBTEST_INT", `"many"`, "a whole number, from -5 to 100"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not name %q", err, part)
		}
	}
}

// TestCheckOfTheDefinition finds bad values without the knob: of every kind, ranges included.
func TestCheckOfTheDefinition(t *testing.T) {
	bad := env("FI_KNOBTEST_INT", "101", "FI_KNOBTEST_ROAD", "bus", "FI_KNOBTEST_SIZE", "k", "FI_KNOBTEST_BOOL", "tru", "FI_KNOBTEST_STRING", "x")
	for _, d := range All() {
		if err := d.Check(bad); (err == nil) != (d.Name == "FI_KNOBTEST_STRING") {
			t.Errorf("%s: %v", d.Name, err)
		}
		if err := d.Check(nil); err != nil {
			t.Errorf("%s, not set: %v", d.Name, err)
		}
	}
}
