package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gofabric/gofabric/internal/cli"
	"github.com/gofabric/gofabric/internal/coll"
)

// config is what the options say.
type config struct {
	min, max   int // bytes; -1: as the benchmark has it
	iterations int // 0: by size
	warmup     int // -1: by size
	window     int // messages in flight
	full       bool
	validate   bool
	memory     string      // how windows are made
	sync       string      // how they are synchronised
	colls      []coll.Coll // that are tuned; none: all
	output     string      // file of the table; empty: the standard output
	verbose    bool
	help       bool
}

// Kinds of windows and of synchronisation.
var (
	memories = []string{"allocate", "create", "dynamic"}
	syncs    = []string{"flush", "flush_local", "lock", "lock_all", "fence", "pscw"}
)

func newCommand(c *config) *cli.Command {
	*c = config{min: -1, max: -1, warmup: -1, window: 64, memory: memories[0], sync: syncs[0]}
	names := []string{"list", "completion", "man"}
	for _, b := range benchmarks {
		names = append(names, b.name)
	}
	return &cli.Command{
		Name:        "mpibench",
		Summary:     "measure package mpi with the names and columns of the OSU micro-benchmarks",
		Usage:       []string{"mpirun -n N mpibench BENCHMARK [OPTION]...", "mpibench list", "mpibench completion bash|zsh|fish", "mpibench man [markdown]"},
		Examples:    examples,
		Operands:    names,
		SubOperands: map[string][]string{"completion": cli.Shells, "man": {"markdown"}},
		Parts:       manual,
		Options: []cli.Option{
			{Group: "What is measured", Short: 'm', Long: "message-size", Arg: "[MIN:]MAX", Help: "bytes of a message, the smallest and the largest; each is twice the one before",
				Set: c.sizes},
			{Short: 'i', Long: "iterations", Arg: "N", Help: "operations of each size (by size: 10000, above 8 KiB 1000)", Set: positive(&c.iterations, 1)},
			{Short: 'x', Long: "warmup", Arg: "N", Help: "operations before those that are measured (by size: 200, above 8 KiB 20)", Set: positive(&c.warmup, 0)},
			{Short: 'W', Long: "window-size", Arg: "N", Help: "messages in flight in bandwidth tests (64)", Set: positive(&c.window, 1)},
			{Short: 'c', Long: "validation", Help: "check what arrives", Set: func(string) error { c.validate = true; return nil }},
			{Short: 'w', Long: "win-options", Arg: "KIND", Help: "how windows are made (allocate)", Values: memories, Set: word(&c.memory, memories)},
			{Short: 's', Long: "sync-options", Arg: "KIND", Help: "how windows are synchronised (flush)", Values: syncs, Set: word(&c.sync, syncs)},
			{Short: 'C', Long: "collectives", Arg: "NAME[,NAME]...", Help: "operations that tune measures (all)", Set: c.operations},
			{Group: "Output", Short: 'o', Long: "output", Arg: "FILE", Help: "where tune writes the table (standard output)",
				Set: func(v string) error { c.output = v; return nil }},
			{Short: 'v', Long: "verbose", Help: "tell on standard error what tune measures", Set: func(string) error { c.verbose = true; return nil }},
			{Short: 'f', Long: "full", Help: "columns for the fastest and the slowest rank, and the iterations",
				Set: func(string) error { c.full = true; return nil }},
			{Short: 'h', Long: "help", Help: "show this help", Set: func(string) error { c.help = true; return cli.Stop }},
		},
	}
}

func (c *config) sizes(v string) error {
	low, high, both := strings.Cut(v, ":")
	if !both {
		low, high = "", v
	}
	for _, s := range []struct {
		text string
		to   *int
	}{{low, &c.min}, {high, &c.max}} {
		if s.text == "" {
			continue
		}
		n, err := strconv.Atoi(s.text)
		if err != nil || n < 0 {
			return fmt.Errorf("message size %q: give bytes, MAX or MIN:MAX", v)
		}
		*s.to = n
	}
	if c.max >= 0 && c.min > c.max {
		return fmt.Errorf("message size %q: the smallest is larger than the largest", v)
	}
	return nil
}

// operations reads names of those that are tuned.
func (c *config) operations(v string) error {
	for word := range strings.SplitSeq(v, ",") {
		var op coll.Coll
		if err := op.UnmarshalText([]byte(word)); err != nil || !slices.Contains(tuned, op) {
			return fmt.Errorf("%q: give some of %s", word, names(tuned))
		}
		c.colls = append(c.colls, op)
	}
	return nil
}

func positive(to *int, least int) func(string) error {
	return func(v string) error {
		n, err := strconv.Atoi(v)
		if err != nil || n < least {
			return fmt.Errorf("%q: give a number from %d on", v, least)
		}
		*to = n
		return nil
	}
}

func word(to *string, words []string) func(string) error {
	return func(v string) error {
		for _, w := range words {
			if v == w {
				*to = w
				return nil
			}
		}
		return fmt.Errorf("%q: one of %s", v, strings.Join(words, ", "))
	}
}
