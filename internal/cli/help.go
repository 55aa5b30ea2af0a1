package cli

import (
	"fmt"
	"io"
	"strings"
)

// helpExamples is how many examples start the help.
const helpExamples = 3

// Help writes the text of --help: examples, usage, the options by group.
func (c *Command) Help(w io.Writer) error {
	var b strings.Builder
	shown := c.Examples[:min(helpExamples, len(c.Examples))]
	width := 0
	for _, e := range shown {
		width = max(width, len(e.Line))
	}
	for _, e := range shown {
		fmt.Fprintf(&b, "  %-*s   %s\n", width, e.Line, e.Text)
	}
	b.WriteString("\n")
	for i, u := range c.Usage {
		lead := "Usage: "
		if i > 0 {
			lead = "       "
		}
		b.WriteString(lead + u + "\n")
	}
	width = 0
	for _, o := range c.Options {
		width = max(width, len(o.spelling()))
	}
	for _, o := range c.Options {
		if o.Group != "" {
			b.WriteString("\n" + o.Group + ":\n")
		}
		fmt.Fprintf(&b, "  %-*s  %s\n", width, o.spelling(), o.Help)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// spelling is the option as help shows it: "-p, --provider NAME".
func (o *Option) spelling() string {
	s := "    --" + o.Long
	if o.Short != 0 {
		s = "-" + string(rune(o.Short)) + ", --" + o.Long
	}
	if o.Arg != "" {
		s += " " + o.Arg
	}
	return s
}
