// Package cli makes commands of one table of options.
//
// A command describes itself once, as a [Command]: its options, examples and the parts of its manual. From that come the
// parser ([Command.Parse], over pflag, with the manners of getopt_long), the text of --help ([Command.Help]), completion
// for shells ([Command.Completion]) and the manual page ([Command.Manual], which renders as Markdown and, by [Roff], as
// man wants it). So what the help promises, the parser takes, and the manual cannot fall behind.
//
//	cmd := &cli.Command{Name: "tool", Options: []cli.Option{
//		{Short: 'p', Long: "provider", Arg: "NAME", Help: "only this provider", Set: func(v string) error { prov = v; return nil }},
//	}}
//	operands, err := cmd.Parse(os.Args[1:])
//
// Options are set in the order of the command line, so that of two the last wins where a command wants that.
//
// Manners of getopt_long: long names may be abbreviated while they are unique, options may follow operands, "--" ends
// them, short ones may be bundled, values may stand in the same word or the next. Texts of errors are those of the GNU C
// library, which scripts know.
//
// The package prints nothing by itself, but what its callers give a writer for. Commands are not safe for concurrent use.
// It reads NO_COLOR, CLICOLOR_FORCE, TERM and the LC_ variables through the look-up given to [Terminal].
package cli
