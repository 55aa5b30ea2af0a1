package ubertest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gofabric/gofabric/fi"
)

// Limits of a file and of what it makes.
const (
	mostBytes  = 1 << 20
	mostValues = 64      // of a key
	mostTests  = 1 << 24 // of a file
	nameSize   = 64      // of a text, with the zero behind it
)

// set is one set of a file.
type set struct {
	line   int
	values map[string][]uint64
	texts  map[string]string
}

// all gives all values of a key at once.
func (s *set) all(name string) (v uint64) {
	for _, x := range s.values[name] {
		v |= x
	}
	return v
}

// parser reads tokens.
type parser struct {
	list []token
	i    int
	last string // the key before; empty at the beginning of a set
}

func (p *parser) peek() token { return p.list[p.i] }

func (p *parser) next() token {
	t := p.list[p.i]
	if t.text != end {
		p.i++
	}
	return t
}

// take takes a sign if it is the next token.
func (p *parser) take(s string) bool {
	if p.peek().sign(s) {
		p.i++
		return true
	}
	return false
}

// parse reads a configuration file. An error names the line and the key.
func parse(text string) ([]*set, error) {
	if len(text) > mostBytes {
		return nil, at(1, "%d bytes, at most %d make a configuration", len(text), mostBytes)
	}
	list, err := tokens(text)
	if err != nil {
		return nil, err
	}
	p := &parser{list: list}
	var sets []*set
	tests := 0
	for {
		switch t := p.peek(); {
		case t.text == end && len(sets) == 0:
			return nil, at(t.line, "no set of tests, as { prov_name: tcp, test_type: FT_TEST_LATENCY, … }")
		case t.text == end:
			return sets, nil
		case p.take(","):
		case p.take("{"):
			s, err := p.set(t.line)
			if err != nil {
				return nil, err
			}
			if tests += s.count(); tests > mostTests {
				return nil, at(t.line, "more than %d tests", mostTests)
			}
			sets = append(sets, s)
		case remark(t):
			if err := p.skip(); err != nil {
				return nil, err
			}
		default:
			return nil, at(t.line, "%q outside of a set, which begins with {", t.text)
		}
	}
}

// remark tells whether a key begins a remark: its value is skipped.
func remark(t token) bool { return len(t.text) > 0 && t.text[0] == '#' }

// skip skips a remark: a key and its value.
func (p *parser) skip() error {
	k := p.next()
	if !p.take(":") {
		return at(k.line, "key %q: a remark is a key with a value, as #: \"text\"", k.text)
	}
	_, err := p.valuesOf(k)
	return err
}

// set reads what stands in braces.
func (p *parser) set(line int) (*set, error) {
	p.last = ""
	s := &set{line: line, values: map[string][]uint64{}, texts: map[string]string{}}
	for {
		switch t := p.peek(); {
		case t.text == end:
			return nil, at(t.line, "the set of line %d has no }", line)
		case p.take("}"):
			return s, s.check()
		case p.take(","):
		case remark(t):
			if err := p.skip(); err != nil {
				return nil, err
			}
		case !t.quoted && len(t.text) == 1 && isSign(t.text):
			return nil, at(t.line, "%q where a key is expected", t.text)
		default:
			if err := p.pair(s); err != nil {
				return nil, err
			}
		}
	}
}

// isValue tells whether a key knows a word as its value.
func isValue(word string) bool {
	return slices.ContainsFunc(keys, func(k key) bool {
		return slices.ContainsFunc(k.words, func(e entry) bool { return e.word == word })
	})
}

func isSign(s string) bool { return slices.Contains([]string{"{", "}", "[", "]", ":", ","}, s) }

// pair reads a key with its values.
func (p *parser) pair(s *set) error {
	t := p.next()
	k := keyOf(t.text)
	if k == nil {
		if p.last != "" && isValue(t.text) {
			return at(t.line, "%q where a key is expected: several values of %s stand in [ ]", t.text, p.last)
		}
		var names []string
		for i := range keys {
			names = append(names, keys[i].name)
		}
		return at(t.line, "there is no key %q%s", t.text, meant(t.text, names))
	}
	if !p.take(":") {
		return at(t.line, "key %s: no colon behind it", k.name)
	}
	if _, twice := s.values[k.name]; twice || s.texts[k.name] != "" {
		return at(t.line, "key %s: it has a value already", k.name)
	}
	list, err := p.valuesOf(t)
	if err != nil {
		return err
	}
	p.last = k.name
	return s.put(k, t, list)
}

// valuesOf reads a value, or several in brackets.
func (p *parser) valuesOf(k token) ([]token, error) {
	if !p.take("[") {
		v := p.next()
		if v.text == end || !v.quoted && isSign(v.text) {
			return nil, at(v.line, "key %s: no value", k.text)
		}
		return []token{v}, nil
	}
	var list []token
	for {
		switch v := p.next(); {
		case v.text == end:
			return nil, at(v.line, "key %s: the values of line %d have no ]", k.text, k.line)
		case v.sign("]"):
			return list, nil
		case v.sign(","):
		case !v.quoted && isSign(v.text):
			return nil, at(v.line, "key %s: %q where a value is expected", k.text, v.text)
		case len(list) == mostValues:
			return nil, at(v.line, "key %s: more than %d values", k.text, mostValues)
		default:
			list = append(list, v)
		}
	}
}

// put sets the values of a key.
func (s *set) put(k *key, name token, list []token) error {
	if k.kind == single {
		if len(list) != 1 {
			return at(name.line, "key %s: one value, not %d", k.name, len(list))
		}
		if v := list[0]; len(v.text) >= nameSize || !printable(v.text) {
			return at(v.line, "key %s: a value has at most %d letters", k.name, nameSize-1)
		}
		s.texts[k.name] = list[0].text
		return nil
	}
	values := []uint64{}
	for _, v := range list {
		i := slices.IndexFunc(k.words, func(e entry) bool { return e.word == v.text })
		if i < 0 {
			var words []string
			for _, e := range k.words {
				words = append(words, e.word)
			}
			return at(v.line, "key %s: there is no value %q%s", k.name, v.text, meant(v.text, words))
		}
		if slices.Contains(values, k.words[i].value) {
			return at(v.line, "key %s: the value %s stands there twice", k.name, v.text)
		}
		values = append(values, k.words[i].value)
	}
	s.values[k.name] = values
	return nil
}

// meant suggests a word.
func meant(word string, words []string) string {
	if near := fi.Suggest(word, words); near != "" {
		return ": did you mean " + near + "?"
	}
	return ", but " + strings.Join(words, ", ")
}

// check refuses a set that would test nothing.
func (s *set) check() error {
	for _, name := range []string{"test_type", "test_class", "ep_type"} {
		if len(s.values[name]) == 0 {
			return at(s.line, "key %s: the set has none", name)
		}
	}
	return nil
}

// printable tells whether a text may be shown on a terminal.
func printable(s string) bool {
	for _, c := range []byte(s) {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}

// fileError puts the file's name before what is wrong with it.
func fileError(name string, err error) error { return fmt.Errorf("%s, %w", name, err) }
