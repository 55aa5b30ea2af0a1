package cli

import "strings"

// Manual gives the manual page in Markdown: a heading "# name(1)" and chapters, in the form that [Roff] reads.
func (c *Command) Manual() string {
	var b strings.Builder
	chapter := func(title, text string) {
		if text = strings.Trim(text, "\n"); text != "" {
			b.WriteString("\n## " + title + "\n\n" + text + "\n")
		}
	}
	b.WriteString("# " + c.Name + "(1)\n")
	chapter("NAME", c.Name+" - "+c.Summary)
	chapter("SYNOPSIS", "    "+strings.Join(c.Usage, "\n    "))
	parts := c.Parts
	if len(parts) > 0 && parts[0].Title == "DESCRIPTION" {
		chapter(parts[0].Title, parts[0].Text)
		parts = parts[1:]
	}
	chapter("OPTIONS", c.optionList())
	chapter("EXAMPLES", c.exampleList())
	for _, p := range parts {
		chapter(p.Title, p.Text)
	}
	return b.String()
}

func (c *Command) optionList() string {
	var b strings.Builder
	for _, o := range c.Options {
		if o.Group != "" {
			b.WriteString("\n### " + o.Group + "\n\n")
		}
		term := "`--" + o.Long + "`"
		if o.Short != 0 {
			term = "`-" + string(rune(o.Short)) + "`, " + term
		}
		if o.Arg != "" {
			term += " *" + o.Arg + "*"
		}
		b.WriteString("- " + term + ": " + sentence(o.Help))
		if o.Text != "" {
			b.WriteString(" " + o.Text)
		}
		if len(o.Values) > 0 && o.Joined {
			b.WriteString(" Words: `" + strings.Join(o.Values, "` `") + "`.")
		}
		b.WriteString("\n")
	}
	return b.String()
}

func (c *Command) exampleList() string {
	var b strings.Builder
	for _, e := range c.Examples {
		b.WriteString("- `" + e.Line + "`: " + sentence(e.Text) + "\n")
	}
	return b.String()
}

// sentence makes a sentence of a line of help.
func sentence(s string) string {
	if s == "" {
		return s
	}
	if !strings.HasSuffix(s, ".") {
		s += "."
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
