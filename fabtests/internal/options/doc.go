// Package options is the command line of fabtests: the options that all scenarios have, with the letters and defaults of
// libfabric's fabtests, as a table for internal/cli.
//
//	o := options.New()
//	cmd := &cli.Command{Name: "fabtests rdm", Options: o.Table(nil)}
//	operands, err := cmd.Parse(args)
//
// A scenario may add options, and take a letter away from a common one. An Options is written by the parser and only read
// afterwards.
package options
