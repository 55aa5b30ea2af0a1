package pmi

import (
	"strconv"
	"strings"
)

// parseMapping reads PMI_process_mapping, "(vector,(0,2,2),(2,1,1))": blocks of first node, number of nodes, ranks on
// each, taken in order and repeated until all ranks are placed. It gives the node of each rank, or nil for what it cannot
// read: placement is advice, and a job runs without it.
func parseMapping(s string, size int) []int {
	s, ok := strings.CutPrefix(strings.ReplaceAll(s, " ", ""), "(vector,")
	if !ok || !strings.HasSuffix(s, ")") || size < 1 || size > maxSize {
		return nil
	}
	type block struct{ first, nodes, ranks int }
	var blocks []block
	for s = strings.TrimSuffix(s, ")"); s != ""; s = strings.TrimPrefix(s, ",") {
		inner, rest, ok := strings.Cut(s, ")")
		if inner, ok = strings.CutPrefix(inner, "("); !ok {
			return nil
		}
		var n [3]int
		words := strings.Split(inner, ",")
		if len(words) != len(n) {
			return nil
		}
		for i, w := range words {
			v, err := strconv.Atoi(w)
			if err != nil || v < 0 || v > maxSize || i > 0 && v == 0 {
				return nil
			}
			n[i] = v
		}
		blocks = append(blocks, block{n[0], n[1], n[2]})
		s = rest
	}
	if len(blocks) == 0 {
		return nil
	}
	nodes := make([]int, 0, size)
	for {
		for _, b := range blocks {
			for node := range b.nodes {
				for range b.ranks {
					if nodes = append(nodes, b.first+node); len(nodes) == size {
						return nodes
					}
				}
			}
		}
	}
}
