package cli

import "strings"

// Roff turns a manual page in Markdown into what man(1) shows. It knows the Markdown that manuals are written in here:
// the heading "# name(section)", "## chapter", "### part of a chapter", paragraphs, lists "- term: text" (the term starts
// with a code or emphasis mark) and "- text", code that is indented by four blanks, and within a line `code` and *names*.
// Lines of a paragraph or of an item may be wrapped.
func Roff(markdown string) string {
	r := roff{}
	for line := range strings.SplitSeq(markdown, "\n") {
		r.line(line)
	}
	r.flush()
	r.endCode()
	return r.b.String()
}

type roff struct {
	b     strings.Builder
	text  []string // lines of the paragraph or item that is being read
	item  bool     // text is an item of a list
	code  bool     // within code
	fresh bool     // a chapter has just begun
}

func (r *roff) line(line string) {
	rest, indented := strings.CutPrefix(line, "    ")
	switch {
	case indented && len(r.text) == 0:
		if !r.code {
			r.paragraph()
			r.b.WriteString(".in +4n\n.nf\n")
			r.code = true
		}
		r.b.WriteString(literal(rest) + "\n")
		return
	case strings.TrimSpace(line) == "":
		r.flush()
		if !r.code {
			return
		}
		r.b.WriteString("\n")
		return
	}
	r.endCode()
	switch {
	case strings.HasPrefix(line, "# "):
		r.flush()
		r.title(line[2:])
	case strings.HasPrefix(line, "## "):
		r.flush()
		r.fresh = true
		r.b.WriteString(".SH " + inline(line[3:]) + "\n")
	case strings.HasPrefix(line, "### "):
		r.flush()
		r.fresh = true
		r.b.WriteString(".SS " + inline(line[4:]) + "\n")
	case strings.HasPrefix(line, "- "):
		r.flush()
		r.item, r.fresh, r.text = true, false, []string{line[2:]}
	default:
		r.text = append(r.text, strings.TrimSpace(line))
	}
}

func (r *roff) title(s string) {
	name, section, _ := strings.Cut(s, "(")
	section = strings.TrimSuffix(section, ")")
	r.b.WriteString(".TH " + strings.ToUpper(literal(name)) + " " + section + " \"\" \"gofabric\" \"Gofabric\"\n.nh\n.ad l\n")
}

// flush writes the paragraph or the item.
func (r *roff) flush() {
	if len(r.text) == 0 {
		return
	}
	text := strings.Join(r.text, " ")
	switch term, rest, isTerm := cutTerm(text); {
	case r.item && isTerm:
		r.b.WriteString(".TP\n" + inline(term) + "\n" + inline(rest) + "\n")
	case r.item:
		r.b.WriteString(".IP \\(bu 2\n" + inline(text) + "\n")
	default:
		r.paragraph()
		r.b.WriteString(inline(text) + "\n")
	}
	r.text, r.item = nil, false
}

// paragraph starts one. A chapter does so by itself.
func (r *roff) paragraph() {
	if !r.fresh {
		r.b.WriteString(".PP\n")
	}
	r.fresh = false
}

func (r *roff) endCode() {
	if r.code {
		s := strings.TrimRight(r.b.String(), "\n")
		r.b.Reset()
		r.b.WriteString(s + "\n.fi\n.in\n")
		r.code = false
	}
}

// cutTerm parts "`-p` *NAME*: text" at the first ": " outside of code.
func cutTerm(s string) (term, text string, ok bool) {
	if !strings.HasPrefix(s, "`") && !strings.HasPrefix(s, "*") {
		return "", "", false
	}
	inCode := false
	for i := range len(s) {
		switch {
		case s[i] == '`':
			inCode = !inCode
		case !inCode && strings.HasPrefix(s[i:], ": "):
			return s[:i], s[i+2:], true
		}
	}
	return "", "", false
}

// inline turns `code` into bold and *names* into italics. A mark without its end stands for itself.
func inline(s string) string {
	var b strings.Builder
	for s != "" {
		i := strings.IndexAny(s, "`*")
		if i < 0 {
			break
		}
		end := strings.IndexByte(s[i+1:], s[i])
		if end <= 0 {
			b.WriteString(escape(s[:i+1]))
			s = s[i+1:]
			continue
		}
		font := `\fB`
		if s[i] == '*' {
			font = `\fI`
		}
		b.WriteString(escape(s[:i]) + font + escape(s[i+1:i+1+end]) + `\fR`)
		s = s[i+end+2:]
	}
	b.WriteString(escape(s))
	return guard(b.String())
}

// literal is a line of code.
func literal(s string) string { return guard(escape(s)) }

var escapes = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "^", `\(ha`, "~", `\(ti`, "`", `\(ga`)

func escape(s string) string { return escapes.Replace(s) }

// guard keeps a line from being taken for a request.
func guard(s string) string {
	if strings.HasPrefix(s, ".") {
		return `\&` + s
	}
	return s
}
