package envknob

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gofabric/gofabric/fi"
)

// Lookup finds a variable: [os.LookupEnv], or what an application or a test puts in its place. It must be safe for
// concurrent use. A nil Lookup is an empty environment.
type Lookup func(name string) (value string, ok bool)

// Knob is one defined variable with values of type T. It is immutable once its package is initialised.
type Knob[T any] struct {
	def   *Definition
	dflt  T
	parse func(string) (T, error)
}

// Name is the variable's name, "FI_LOG_LEVEL".
func (k *Knob[T]) Name() string { return k.def.Name }

// Default is the value of a variable that is not set.
func (k *Knob[T]) Default() T { return k.dflt }

// Get gives the variable's value in the environment env, or its default when it is not set or empty. The error of a
// value that does not parse is an [*fi.Error] with FI_EINVAL; the value returned beside it is the default.
func (k *Knob[T]) Get(env Lookup) (T, error) {
	s, ok := k.Lookup(env)
	if !ok {
		return k.dflt, nil
	}
	v, err := k.parse(s)
	if err != nil {
		return k.dflt, &fi.Error{
			Op: "param_get", Object: k.def.Name, Err: fi.ErrInvalid,
			Hint: fmt.Sprintf("%s=%q: want %s", k.def.Name, s, k.def.Accepts),
		}
	}
	return v, nil
}

// Lookup gives the raw text of the variable without blanks around it, and whether it is set and not empty.
func (k *Knob[T]) Lookup(env Lookup) (string, bool) { return k.def.Lookup(env) }

// String defines a variable whose value is taken as it is, without blanks around it.
func String(name, owner, help, dflt string) *Knob[string] {
	return define(&global, Definition{
		Name: name, Owner: owner, Help: help, Kind: KindString, Default: dflt, Accepts: "a text",
	}, dflt, func(s string) (string, error) { return s, nil })
}

// Choice defines a variable whose value is one of the words given, in upper or lower case. Get returns it in the
// spelling of the definition.
func Choice(name, owner, help, dflt string, words ...string) *Knob[string] {
	return define(&global, Definition{
		Name: name, Owner: owner, Help: help, Kind: KindString, Default: dflt, Accepts: oneOf(words),
	}, dflt, func(s string) (string, error) {
		i := slices.IndexFunc(words, func(w string) bool { return strings.EqualFold(w, s) })
		if i < 0 {
			return "", strconv.ErrSyntax
		}
		return words[i], nil
	})
}

// Int defines a variable whose value is a whole number, decimal or, after 0x, hexadecimal.
func Int(name, owner, help string, dflt int) *Knob[int] {
	return define(&global, Definition{
		Name: name, Owner: owner, Help: help, Kind: KindInt, Default: strconv.Itoa(dflt),
		Accepts: "a whole number",
	}, dflt, parseInt)
}

// Size defines a variable whose value is a number of bytes or of things, at least 0, decimal or hexadecimal, also with
// K, M or G behind it for 2^10, 2^20 and 2^30.
func Size(name, owner, help string, dflt int) *Knob[int] {
	return define(&global, Definition{
		Name: name, Owner: owner, Help: help, Kind: KindSize, Default: strconv.Itoa(dflt),
		Accepts: "a number of 0 or more, also with K, M or G behind it",
	}, dflt, parseSize)
}

// Bool defines a variable whose value is yes or no in one of the forms 0/1, on/off, true/false, yes/no, in upper or
// lower case.
func Bool(name, owner, help string, dflt Switch) *Knob[bool] {
	on := dflt == On
	text := "no"
	if on {
		text = "yes"
	}
	return define(&global, Definition{
		Name: name, Owner: owner, Help: help, Kind: KindBool, Default: text,
		Accepts: "one of 0/1, on/off, true/false, yes/no",
	}, on, parseBool)
}

// Switch is the default of a boolean variable.
type Switch uint8

// Defaults of boolean variables.
const (
	Off Switch = iota // not set means no
	On                // not set means yes
)

// Between restricts a number to the range from low to high, both allowed, and returns the knob. It is part of a
// definition: not to be called later.
func Between(k *Knob[int], low, high int) *Knob[int] {
	inner := k.parse
	k.def.Accepts = fmt.Sprintf("%s, from %d to %d", k.def.Accepts, low, high)
	k.parse = func(s string) (int, error) {
		v, err := inner(s)
		if err == nil && (v < low || v > high) {
			return 0, strconv.ErrRange
		}
		return v, err
	}
	return k
}

func oneOf(words []string) string { return "one of " + strings.Join(words, ", ") }
