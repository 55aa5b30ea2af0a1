package main

import (
	"slices"
	"testing"
)

func TestPlace(t *testing.T) {
	hosts := []host{{"a", 2}, {"b", 1}, {"c", 4}}
	for n, want := range map[int][]int{1: {0}, 3: {0, 0, 1}, 4: {0, 0, 1, 2}, 9: {0, 0, 1, 2, 2, 2, 2, 0, 0}} {
		of, used, mapping := place(hosts, n)
		if !slices.Equal(of, want) || len(used) != slices.Max(want)+1 || mapping == "" {
			t.Errorf("%d ranks: %v on %v, %s", n, of, used, mapping)
		}
	}
	if slots(hosts) != 7 {
		t.Errorf("%d slots", slots(hosts))
	}
}
