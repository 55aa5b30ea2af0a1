package coll

import (
	"bufio"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// How tables are written: a line for each operation, its name and its rules, separated by commas. A rule is an algorithm,
// and behind it what limits it:
//
//	allreduce  linear:2K@3,recursive-doubling:2K,rabenseifner:512K+spread,segmented-ring/64K
//
// "/64K" is the segment, ":2K" the most bytes, "@3" the most members, "@8-16" from how many members to how many, "@8-" is
// without an upper limit, "+power2" and "+spread" as in [Rule]. Numbers may end in K, M or G for powers of 1024. Empty lines
// and what follows # do not count.

// ParseTable reads a table: the text of a file, or what [Table.String] gives. An error names the line, and what there is.
// An operation may have several lines; the default table serves what none of the rules fits.
func ParseTable(text string) (Table, error) {
	var t Table
	lines := bufio.NewScanner(strings.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line, _, _ := strings.Cut(lines.Text(), "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		var c Coll
		err := c.UnmarshalText([]byte(words[0]))
		if err == nil {
			var rules Table
			rules, err = ParseRules(c, strings.Join(words[1:], ""))
			t = append(t, rules...)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("coll: a table that cannot be read: %w", err)
	}
	return t, nil
}

// ParseRules reads the rules of one operation, as they stand behind its name in a table: also the value of a variable that
// chooses its algorithm, as in "ring" or "ring:64K". An error says what is wrong and lists the operation's algorithms.
func ParseRules(c Coll, text string) (Table, error) {
	var t Table
	for word := range strings.SplitSeq(text, ",") {
		r, err := parseRule(c, strings.TrimSpace(word))
		if err != nil {
			return nil, fmt.Errorf("coll: %v: rule %q: %w; algorithms of %v are %s", c, word, err, c, algList(c))
		}
		t = append(t, r)
	}
	return t, nil
}

func algList(c Coll) string {
	var names []string
	for _, g := range c.Algs() {
		names = append(names, g.String())
	}
	return strings.Join(names, ", ")
}

func parseRule(c Coll, word string) (Rule, error) {
	r := Rule{Coll: c}
	name := word
	if i := strings.IndexAny(word, "/:@+"); i >= 0 {
		name = word[:i]
	}
	if err := r.Alg.UnmarshalText([]byte(name)); err != nil || c >= numColl || makers[c][r.Alg] == nil {
		return r, fmt.Errorf("%q is not one of its algorithms", name)
	}
	for rest := word[len(name):]; rest != ""; {
		end := 1 + strings.IndexAny(rest[1:], "/:@+")
		if end == 0 {
			end = len(rest)
		}
		mark, arg := rest[0], rest[1:end]
		var err error
		switch rest = rest[end:]; mark {
		case '/':
			r.Segment, err = parseNumber(arg)
		case ':':
			r.MaxBytes, err = parseNumber(arg)
		case '@':
			low, high, both := strings.Cut(arg, "-")
			if !both {
				low, high = "", low
			}
			if low != "" {
				r.MinMembers, err = parseNumber(low)
			}
			if err == nil && (high != "" || low == "") {
				r.MaxMembers, err = parseNumber(high)
			}
			if err == nil && r.MaxMembers != 0 && r.MinMembers > r.MaxMembers {
				err = fmt.Errorf("%q has no members between", arg)
			}
		case '+':
			switch strings.ToLower(arg) {
			case "power2":
				r.Power2 = true
			case "spread":
				r.Spread = true
			default:
				err = fmt.Errorf("%q: write +power2 or +spread", arg)
			}
		}
		if err != nil {
			return r, err
		}
	}
	return r, nil
}

// parseNumber reads a number from 1 on.
func parseNumber(text string) (int, error) {
	digits, shift := text, 0
	if n := len(text); n > 1 {
		if i := strings.IndexByte("KMG", text[n-1]&^0x20); i >= 0 {
			digits, shift = text[:n-1], 10*(i+1)
		}
	}
	n, err := strconv.ParseUint(digits, 10, strconv.IntSize-1)
	if err != nil || n == 0 || n > math.MaxInt>>shift {
		return 0, fmt.Errorf("%q: write a number from 1 on, with K, M or G for powers of 1024", text)
	}
	return int(n) << shift, nil
}

// String gives the rule as it stands in a table, without the operation.
func (r Rule) String() string {
	s := r.Alg.String()
	if r.Segment != 0 {
		s += "/" + number(r.Segment)
	}
	if r.MaxBytes != 0 {
		s += ":" + number(r.MaxBytes)
	}
	switch low, high := strconv.Itoa(r.MinMembers), strconv.Itoa(r.MaxMembers); {
	case r.MinMembers != 0 && r.MaxMembers != 0:
		s += "@" + low + "-" + high
	case r.MinMembers != 0:
		s += "@" + low + "-"
	case r.MaxMembers != 0:
		s += "@" + high
	}
	if r.Power2 {
		s += "+power2"
	}
	if r.Spread {
		s += "+spread"
	}
	return s
}

func number(n int) string {
	for i, unit := range []string{"G", "M", "K"} {
		if d := 1 << (30 - 10*i); n%d == 0 {
			return strconv.Itoa(n/d) + unit
		}
	}
	return strconv.Itoa(n)
}

// String gives the table as [ParseTable] reads it: equal texts are equal tables, by which members can find out whether all
// have the same.
func (t Table) String() string {
	var s strings.Builder
	for i, r := range t {
		switch {
		case i > 0 && t[i-1].Coll == r.Coll:
			s.WriteByte(',')
		default:
			if i > 0 {
				s.WriteByte('\n')
			}
			s.WriteString(r.Coll.String() + " ")
		}
		s.WriteString(r.String())
	}
	if len(t) > 0 {
		s.WriteByte('\n')
	}
	return s.String()
}
