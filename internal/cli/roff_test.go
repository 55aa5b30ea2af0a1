package cli

import (
	"strings"
	"testing"
)

func TestRoff(t *testing.T) {
	for _, c := range []struct{ markdown, want string }{
		{"# tool(1)", ".TH TOOL 1 \"\" \"gofabric\" \"Gofabric\"\n.nh\n.ad l\n"},
		{"# fi_shm(7)", ".TH FI_SHM 7 \"\" \"gofabric\" \"Gofabric\"\n.nh\n.ad l\n"},
		{"## SEE ALSO\n\n*fabric*(7)", ".SH SEE ALSO\n\\fIfabric\\fR(7)\n"},
		{"### Part", ".SS Part\n"},
		{"Two\nlines\n\nand more", ".PP\nTwo lines\n.PP\nand more\n"},
		{"use `-p x` now", ".PP\nuse \\fB\\-p x\\fR now\n"},
		{"a * b and `c", ".PP\na * b and \\(gac\n"},
		{"it's \\n", ".PP\nit\\(aqs \\en\n"},
		{"- `-p` *NAME*: only: this\n  one\n- plain: item", ".TP\n\\fB\\-p\\fR \\fINAME\\fR\nonly: this one\n.IP \\(bu 2\nplain: item\n"},
		{"- `a: b`: c", ".TP\n\\fBa: b\\fR\nc\n"},
		{"text\n\n    .code 'x'\n    more\n\n    end\n\ntext", ".PP\ntext\n.PP\n.in +4n\n.nf\n\\&.code \\(aqx\\(aq\nmore\n\nend\n.fi\n.in\n.PP\ntext\n"},
		{".hidden", ".PP\n\\&.hidden\n"},
		{"'quoted'", ".PP\n\\(aqquoted\\(aq\n"},
	} {
		if got := Roff(c.markdown); got != c.want {
			t.Errorf("%q:\n got %q\nwant %q", c.markdown, got, c.want)
		}
	}
}

func TestManual(t *testing.T) {
	var got []string
	want := `# tool(1)

## NAME

tool - do it

## SYNOPSIS

    tool [OPTION]...
    tool completion SHELL

## DESCRIPTION

It does it.

## OPTIONS

### First

- ` + "`-p`, `--provider` *NAME*" + `: Only [this] one: it's it.
- ` + "`-P`, `--port` *NUM*" + `: A port. More of it.
- ` + "`-c`, `--caps` *A|B*: Capabilities. Words: `FI_MSG` `FI_RMA`" + `.

### Second

- ` + "`-v`, `--verbose`" + `: More.
- ` + "`-l`, `--list`" + `: A list.
- ` + "`--version`" + `: Versions.

## EXAMPLES

- ` + "`tool -v`" + `: More.
- ` + "`tool -p x`" + `: It's x.
- ` + "`tool`" + `: Plain.
- ` + "`tool --long`" + `: Not in the help.

## SEE ALSO

*other*(1)
`
	text := sample(&got).Manual()
	if text != want {
		t.Errorf("got\n%s", text)
	}
	for line := range strings.SplitSeq(Roff(text), "\n") {
		if strings.HasPrefix(line, "-") || strings.HasPrefix(line, "#") {
			t.Errorf("not turned into roff: %s", line)
		}
	}
}
