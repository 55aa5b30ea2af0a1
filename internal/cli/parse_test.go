package cli

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// sample is a command that notes what is set, in order.
func sample(got *[]string) *Command {
	note := func(name string) func(string) error {
		return func(v string) error {
			if v == "bad" {
				return errors.New("a bad value")
			}
			*got = append(*got, strings.TrimSuffix(name+"="+v, "="))
			return nil
		}
	}
	return &Command{
		Name: "tool", Summary: "do it",
		Usage:    []string{"tool [OPTION]...", "tool completion SHELL"},
		Examples: []Example{{"tool -v", "more"}, {"tool -p x", "it's x"}, {"tool", "plain"}, {"tool --long", "not in the help"}},
		Parts:    []Part{{"DESCRIPTION", "It does it."}, {"SEE ALSO", "*other*(1)"}},
		Operands: []string{"completion"}, SubOperands: map[string][]string{"completion": Shells},
		Options: []Option{
			{Group: "First", Short: 'p', Long: "provider", Arg: "NAME", Help: "only [this] one: it's it", Values: []string{"shm", "mem"}, Set: note("p")},
			{Short: 'P', Long: "port", Arg: "NUM", Help: "a port", Text: "More of it.", Set: note("P")},
			{Short: 'c', Long: "caps", Arg: "A|B", Help: "capabilities", Values: []string{"FI_MSG", "FI_RMA"}, Joined: true, Set: note("c")},
			{Group: "Second", Short: 'v', Long: "verbose", Help: "more", Set: note("v")},
			{Short: 'l', Long: "list", Help: "a list", Set: note("l")},
			{Long: "version", Help: "versions", Set: func(string) error { *got = append(*got, "version"); return Stop }},
		},
	}
}

// TestParse has the manners of getopt_long.
func TestParse(t *testing.T) {
	for _, c := range []struct {
		line string
		want string // what is set, "|", the operands; or the error
	}{
		{"", "|"},
		{"-p shm", "p=shm|"},
		{"-pshm", "p=shm|"},
		{"--provider=shm", "p=shm|"},
		{"--provider shm", "p=shm|"},
		{"--pro shm", "p=shm|"},
		{"--prov=shm --li", "p=shm l|"},
		{"-lv", "l v|"},
		{"-lvp shm", "l v p=shm|"},
		{"-lvpshm", "l v p=shm|"},
		{"-p -v", "p=-v|"},
		{"--provider --list", "p=--list|"},
		{"--provider=", "p|"},
		{"a -v b -p x c", "v p=x|a b c"},
		{"-v -- -p x", "v|-p x"},
		{"-", "|-"},
		{"-p a -p b", "p=a p=b|"},
		{"--version -q", "version|"},
		{"-q", "invalid option -- 'q'"},
		{"-vq", "invalid option -- 'q'"},
		{"-p", "option requires an argument -- 'p'"},
		{"-lp", "option requires an argument -- 'p'"},
		{"--provider", "option '--provider' requires an argument"},
		{"--prov", "option '--provider' requires an argument"},
		{"--nothing", "unrecognized option '--nothing'"},
		{"--provdier x", "unrecognized option '--provdier' (did you mean --provider?)"},
		{"--p x", "option '--p' is ambiguous; possibilities: '--provider' '--port'"},
		{"--list=x", "option '--list' doesn't allow an argument"},
		{"--list=", "option '--list' doesn't allow an argument"},
		{"--=x", "unrecognized option '--=x'"},
		{"-p bad", "a bad value"},
	} {
		var got []string
		operands, err := sample(&got).Parse(strings.Fields(c.line))
		text := strings.Join(got, " ") + "|" + strings.Join(operands, " ")
		if err != nil {
			text = err.Error()
		}
		if text != c.want {
			t.Errorf("%q: got %q, want %q", c.line, text, c.want)
		}
		var usage *UsageError
		if err != nil && errors.As(err, &usage) == (c.want == "a bad value") {
			t.Errorf("%q: error of the wrong kind: %T", c.line, err)
		}
	}
}

func TestHelpStartsWithThreeExamples(t *testing.T) {
	var got []string
	var b strings.Builder
	if err := sample(&got).Help(&b); err != nil {
		t.Fatal(err)
	}
	want := `  tool -v     more
  tool -p x   it's x
  tool        plain

Usage: tool [OPTION]...
       tool completion SHELL

First:
  -p, --provider NAME  only [this] one: it's it
  -P, --port NUM       a port
  -c, --caps A|B       capabilities

Second:
  -v, --verbose        more
  -l, --list           a list
      --version        versions
`
	if b.String() != want {
		t.Errorf("got\n%s", b.String())
	}
}

// TestOptionsNeedNames finds tables that pflag or the shells would trip over.
func TestOptionsNeedNames(t *testing.T) {
	var got []string
	var seen []string
	for _, o := range sample(&got).Options {
		if o.Long == "" || o.Help == "" || o.Set == nil || slices.Contains(seen, o.Long) {
			t.Errorf("%+v", o)
		}
		seen = append(seen, o.Long)
	}
}
