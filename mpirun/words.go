package main

import (
	"strings"

	"github.com/gofabric/gofabric/internal/cli"
)

// sections splits a command line at ":", into the programs of the job.
func sections(args []string) [][]string {
	out := [][]string{nil}
	for _, a := range args {
		if a == ":" {
			out = append(out, nil)
			continue
		}
		out[len(out)-1] = append(out[len(out)-1], a)
	}
	return out
}

// words splits a section into options, written as pflag wants them, and the program with its arguments, which start at
// the first word that is no option. Long options may have one dash, as users of other launchers type them.
func words(cmd *cli.Command, section []string) (options, program []string) {
	for i := 0; i < len(section); i++ {
		w := section[i]
		if w == "--" {
			return options, section[i+1:]
		}
		if len(w) < 2 || w[0] != '-' {
			return options, section[i:]
		}
		bare := strings.TrimLeft(w, "-")
		name, _, joined := strings.Cut(bare, "=")
		follows := false // a value stands in the next word
		if o := long(cmd, name); o != nil {
			w = "--" + bare
			follows = o.Arg != "" && !joined
		} else if o := short(cmd, bare); o != nil && w[1] != '-' {
			follows = o.Arg != "" && len(bare) == 1
		}
		options = append(options, w) // pflag says what is wrong with a word that is none
		if follows && i+1 < len(section) {
			i++
			options = append(options, section[i])
		}
	}
	return options, nil
}

func long(cmd *cli.Command, name string) *cli.Option {
	for i := range cmd.Options {
		if cmd.Options[i].Long == name {
			return &cmd.Options[i]
		}
	}
	return nil
}

// short finds the option of a word such as "n" or "n4".
func short(cmd *cli.Command, bare string) *cli.Option {
	for i := range cmd.Options {
		if o := &cmd.Options[i]; o.Short != 0 && bare != "" && bare[0] == o.Short {
			return o
		}
	}
	return nil
}
