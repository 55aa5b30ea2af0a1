package cli

import (
	"os"
	"strings"
)

// Style is how much a terminal can show.
type Style struct {
	Color   bool
	Unicode bool // beyond ASCII
}

// Terminal tells what may be written to f: plain ASCII when it is no terminal, when TERM is dumb or when NO_COLOR is set;
// CLICOLOR_FORCE (not 0) makes a terminal of anything. Signs beyond ASCII need a locale in UTF-8 besides.
func Terminal(f *os.File, lookup func(string) (string, bool)) Style {
	env := func(name string) string { v, _ := lookup(name); return v }
	forced := env("CLICOLOR_FORCE") != "" && env("CLICOLOR_FORCE") != "0"
	if env("NO_COLOR") != "" || !forced && (env("TERM") == "dumb" || !isTerminal(f)) {
		return Style{}
	}
	locale := env("LC_ALL")
	for _, name := range []string{"LC_CTYPE", "LANG"} {
		if locale == "" {
			locale = env(name)
		}
	}
	locale = strings.ReplaceAll(strings.ToUpper(locale), "-", "")
	return Style{Color: true, Unicode: strings.Contains(locale, "UTF8")}
}

// isTerminal tells whether f is a character device. The null device is one too, where nobody minds.
func isTerminal(f *os.File) bool {
	st, err := f.Stat()
	return err == nil && st.Mode()&os.ModeCharDevice != 0
}

// Colours of paint.
const (
	Green = "32"
	Red   = "31"
)

// Paint gives s in a colour where the style has colours.
func (s Style) Paint(colour, text string) string {
	if !s.Color {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}
