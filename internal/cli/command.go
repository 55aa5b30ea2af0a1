package cli

import "errors"

// Option is a row of the table of options.
type Option struct {
	Short  byte     // 'p' for -p; 0 for none
	Long   string   // "provider" for --provider
	Arg    string   // what the value is called in help, "NAME"; empty for a switch, which takes none
	Help   string   // a few words, for --help and completion
	Text   string   // for the manual, in Markdown, after Help; may be empty
	Values []string // words that the shell may complete; nil when there is no such list
	Joined bool     // a value may be several words, joined by | or a comma
	Group  string   // the heading in help; empty: as the row before

	// Set takes the value, "" for a switch. Stop ends the parsing; other errors come out of Parse as they are.
	Set func(value string) error
}

// Stop as result of Option.Set ends the parsing without error: what follows on the command line does not matter.
var Stop = errors.New("cli: stop")

// Example is a line to type and what it does.
type Example struct{ Line, Text string }

// Part is a chapter of the manual in Markdown: paragraphs, "- term: text" lists, indented code.
type Part struct{ Title, Text string }

// Command describes a command-line tool.
type Command struct {
	Name     string // "fi_info"
	Summary  string // one line without a full stop, for NAME of the manual
	Usage    []string
	Examples []Example // the first three start the help
	Options  []Option
	Parts    []Part   // of the manual, after OPTIONS: exit status, environment and so on
	Operands []string // words that may be completed where no option stands
	// SubOperands are words that complete after one of Operands.
	SubOperands map[string][]string
}
