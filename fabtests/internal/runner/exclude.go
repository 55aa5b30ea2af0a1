package runner

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// Pattern is a regular expression for the titles of tests that are left out.
type Pattern = *regexp.Regexp

// ParseExcludes reads the list of -e, separated by commas.
func ParseExcludes(list string) ([]Pattern, error) {
	var out []Pattern
	for part := range strings.SplitSeq(list, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		re, err := compile(part)
		if err != nil {
			return nil, err
		}
		out = append(out, re)
	}
	return out, nil
}

// ReadExcludes reads a file of -f: an expression a line, empty lines and those with # in front apart. Errors name the file
// and the line.
func ReadExcludes(name string, from io.Reader) ([]Pattern, error) {
	var out []Pattern
	sc := bufio.NewScanner(from)
	for n := 1; sc.Scan(); n++ {
		line := strings.TrimSpace(sc.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		re, err := compile(line)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		out = append(out, re)
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return out, nil
}

// compile explains what is wrong with an expression in a few words.
func compile(text string) (Pattern, error) {
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, fmt.Errorf("%q is no regular expression: %s", text, strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return re, nil
}

// excluded tells whether a title matches one of them.
func excluded(patterns []Pattern, title string) bool {
	return slices.ContainsFunc(patterns, func(p Pattern) bool { return p.MatchString(title) })
}
