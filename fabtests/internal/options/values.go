package options

import (
	"encoding"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/cli"
)

// On makes a switch.
func On(to *bool) func(string) error {
	return func(string) error {
		*to = true
		return nil
	}
}

// Text takes any value.
func Text(to *string) func(string) error {
	return func(v string) error {
		*to = v
		return nil
	}
}

// Number takes an integer from low to high.
func Number(to *int, low, high int) func(string) error {
	return func(v string) error {
		n, err := strconv.Atoi(v)
		if err != nil || n < low || n > high {
			return Bad(v, "a number from "+strconv.Itoa(low)+" to "+strconv.Itoa(high))
		}
		*to = n
		return nil
	}
}

// Size takes a number of bytes.
func Size(to *int) func(string) error {
	return func(v string) error {
		n, err := ParseSize(v)
		if err != nil {
			return &cli.UsageError{Text: err.Error()}
		}
		*to = n
		return nil
	}
}

// Word takes a word that the type knows by itself.
func Word(to encoding.TextUnmarshaler) func(string) error {
	return func(v string) error {
		if err := to.UnmarshalText([]byte(v)); err != nil {
			return &cli.UsageError{Text: err.Error()}
		}
		return nil
	}
}

// choose runs the action of a word; case does not matter.
func choose(v string, words map[string]func()) error {
	if f := words[strings.ToLower(v)]; f != nil {
		f()
		return nil
	}
	known := slices.Sorted(maps.Keys(words))
	err := &cli.UsageError{Text: "there is no " + strconv.Quote(v) + ", but " + strings.Join(known, ", ")}
	if near := fi.Suggest(v, known); near != "" {
		err.Hint = "did you mean " + near + "?"
	}
	return err
}

func progress(to *fi.Progress) func(string) error {
	set := func(p fi.Progress) func() { return func() { *to = p } }
	return func(v string) error {
		return choose(v, map[string]func(){"manual": set(fi.ProgressManual), "auto": set(fi.ProgressAuto), "unified": set(fi.ProgressControlUnified)})
	}
}

// Cores takes a list of processors.
func Cores(to *[]int) func(string) error {
	return func(v string) error {
		list, err := parseCores(v)
		*to = list
		return err
	}
}

// parseCores reads a list of processors: "0,2-4".
func parseCores(v string) ([]int, error) {
	var list []int
	for part := range strings.SplitSeq(v, ",") {
		first, last, isRange := strings.Cut(part, "-")
		a, err := strconv.Atoi(first)
		b := a
		if err == nil && isRange {
			b, err = strconv.Atoi(last)
		}
		if err != nil || a < 0 || b < a || b > 1<<16 {
			return nil, Bad(v, "a list of processors, as 0,2-4")
		}
		for ; a <= b; a++ {
			list = append(list, a)
		}
	}
	return list, nil
}
