package fi

import (
	"strconv"
	"strings"
)

// number is what the enumerations and the bit sets are made of.
type number interface {
	~int | ~uint32 | ~uint64
}

// word is a value and its C name.
type word[T number] struct {
	val  T
	name string
}

// vocabulary is the words of one type: what it is called in messages, the prefix that its names share, which may be left
// out in input, the names in the order in which they are printed, and further names that are understood.
type vocabulary[T number] struct {
	kind    string
	prefix  string
	words   []word[T]
	aliases []word[T]
}

// find looks a word up, in any case, with or without FI_ or the prefix; a number stands for itself.
func (v *vocabulary[T]) find(s string) (T, error) {
	w := strings.ToUpper(strings.TrimSpace(s))
	for _, prefix := range []string{"", "FI_", v.prefix} {
		for _, list := range [][]word[T]{v.words, v.aliases} {
			for _, k := range list {
				if len(k.name) == len(prefix)+len(w) && k.name[:len(prefix)] == prefix && k.name[len(prefix):] == w {
					return k.val, nil
				}
			}
		}
	}
	if n, err := strconv.ParseUint(w, 0, 64); err == nil && uint64(T(n)) == n && T(n) >= 0 {
		return T(n), nil
	}
	if n, err := strconv.ParseInt(w, 0, 64); err == nil && n < 0 && T(n) < 0 && int64(T(n)) == n {
		return T(n), nil
	}
	return 0, v.unknown(s)
}

func (v *vocabulary[T]) unknown(s string) error {
	names := make([]string, 0, len(v.words)+len(v.aliases))
	for _, list := range [][]word[T]{v.words, v.aliases} {
		for _, k := range list {
			names = append(names, k.name)
		}
	}
	e := &WordError{Kind: v.kind, Word: strings.TrimSpace(s), Nearest: Suggest(s, names)}
	if e.Nearest == "" && e.Word != "" && v.prefix != "FI_" { // the word may lack the prefix, and be wrong besides
		e.Nearest = Suggest(v.prefix+e.Word, names)
	}
	return e
}

// WordError is the error of UnmarshalText and the Parse functions for a word that they do not know. It is [ErrInvalid].
type WordError struct {
	Kind    string // what was expected: "capability", "mode", "endpoint type", "address format"
	Word    string // as given
	Nearest string // the known word that is nearest; may be empty
}

// Error names the word and the nearest known one.
func (e *WordError) Error() string {
	word := e.Word
	if len(word) > longestSuggestion {
		word = word[:longestSuggestion] + "..."
	}
	msg := "unrecognized " + e.Kind + " " + strconv.Quote(word)
	if e.Nearest != "" {
		msg += ": did you mean " + e.Nearest + "?"
	}
	return msg
}

// Unwrap gives [ErrInvalid].
func (e *WordError) Unwrap() error { return ErrInvalid }
