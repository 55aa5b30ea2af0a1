package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/gofabric/gofabric/fi"
)

// UsageError is what is wrong with a command line.
type UsageError struct {
	Text string // as getopt_long says it: "invalid option -- 'q'"
	Hint string // what was meant, maybe; may be empty
}

// Error gives the text and the hint.
func (e *UsageError) Error() string {
	if e.Hint == "" {
		return e.Text
	}
	return e.Text + " (" + e.Hint + ")"
}

// noValue stands for the value of a switch; nobody can type it.
const noValue = "\x00"

// value lets pflag set an option.
type value struct{ opt *Option }

func (v value) String() string { return "" }
func (v value) Type() string   { return v.opt.Arg }

func (v value) Set(s string) error {
	if v.opt.Arg == "" {
		if s != noValue {
			return &UsageError{Text: fmt.Sprintf("option '--%s' doesn't allow an argument", v.opt.Long)}
		}
		s = ""
	}
	return v.opt.Set(s)
}

// Parse sets the options that args name, in their order, and gives the operands. The error is a [*UsageError], or what an
// Option.Set returned.
func (c *Command) Parse(args []string) (operands []string, err error) {
	fs := pflag.NewFlagSet(c.Name, pflag.ContinueOnError)
	fs.SortFlags = false
	fs.Usage = func() {}
	fs.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if m := c.match(name); len(m) == 1 {
			return pflag.NormalizedName(m[0])
		}
		return pflag.NormalizedName(name)
	})
	for i := range c.Options {
		o := &c.Options[i]
		short := ""
		if o.Short != 0 {
			short = string(rune(o.Short))
		}
		f := fs.VarPF(value{o}, o.Long, short, o.Help)
		if o.Arg == "" {
			f.NoOptDefVal = noValue
		}
	}
	err = fs.Parse(args)
	if errors.Is(err, Stop) {
		err = nil
	}
	if err != nil {
		return nil, c.explain(err)
	}
	return fs.Args(), nil
}

// match lists the long names that name may be short for; the name itself when it is one.
func (c *Command) match(name string) []string {
	var names []string
	for _, o := range c.Options {
		if o.Long == name {
			return []string{name}
		}
		if strings.HasPrefix(o.Long, name) {
			names = append(names, o.Long)
		}
	}
	return names
}

// explain turns what pflag says into what getopt_long says.
func (c *Command) explain(err error) error {
	var (
		unknown *pflag.NotExistError
		missing *pflag.ValueRequiredError
		invalid *pflag.InvalidValueError
		syntax  *pflag.InvalidSyntaxError
	)
	switch {
	case errors.As(err, &invalid):
		return invalid.Unwrap()
	case errors.As(err, &missing):
		if missing.GetSpecifiedShortnames() != "" {
			return &UsageError{Text: fmt.Sprintf("option requires an argument -- '%s'", missing.GetSpecifiedName())}
		}
		return &UsageError{Text: fmt.Sprintf("option '--%s' requires an argument", missing.GetFlag().Name)}
	case errors.As(err, &unknown):
		if unknown.GetSpecifiedShortnames() != "" {
			return &UsageError{Text: fmt.Sprintf("invalid option -- '%s'", unknown.GetSpecifiedName())}
		}
		return c.unknownLong(unknown.GetSpecifiedName())
	case errors.As(err, &syntax):
		return &UsageError{Text: fmt.Sprintf("unrecognized option '%s'", syntax.GetSpecifiedFlag())}
	}
	return &UsageError{Text: err.Error()}
}

func (c *Command) unknownLong(name string) error {
	if m := c.match(name); len(m) > 1 {
		return &UsageError{Text: fmt.Sprintf("option '--%s' is ambiguous; possibilities: '--%s'", name,
			strings.Join(m, "' '--"))}
	}
	e := &UsageError{Text: fmt.Sprintf("unrecognized option '--%s'", name)}
	var longs []string
	for _, o := range c.Options {
		longs = append(longs, o.Long)
	}
	if near := fi.Suggest(name, longs); near != "" {
		e.Hint = "did you mean --" + near + "?"
	}
	return e
}
