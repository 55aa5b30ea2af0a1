package main

import (
	"slices"
	"strings"
	"testing"
)

func TestHosts(t *testing.T) {
	for list, want := range map[string][]host{
		"a":               {{"a", 1}},
		"a:3,b":           {{"a", 3}, {"b", 1}},
		"a, b:2 ,a":       {{"a", 2}, {"b", 2}},
		"10.0.0.1:2":      {{"10.0.0.1", 2}},
		"fe80::1,[::1]:4": {{"fe80::1", 1}, {"::1", 4}},
		"user@a:2":        {{"user@a", 2}},
		"":                nil, ",": nil, "a:0": nil, "a:x": nil, "a:": nil, "-x": nil, "a b": nil, "a:99999999": nil, "a'b": nil,
	} {
		got, err := parseHosts(list)
		if (err == nil) != (want != nil) || want != nil && !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v", list, got, err)
		}
	}
}

func FuzzHostfile(f *testing.F) {
	f.Add("a:3\nb slots=2 max_slots=4 # x\n\n[::1]:4\n")
	f.Fuzz(func(t *testing.T, text string) {
		hosts, err := scanHostfile(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, h := range hosts {
			if h.name == "" || h.name[0] == '-' || h.slots < 1 {
				t.Errorf("host %+v", h)
			}
		}
	})
}
