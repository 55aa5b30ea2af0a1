package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// host is a machine with room for ranks.
type host struct {
	name  string
	slots int
}

// maxSlots bounds a number of ranks on one host.
const maxSlots = 1 << 16

// parseHost reads "name", "name:3", "[::1]:3".
func parseHost(s string) (host, error) {
	h := host{name: s, slots: 1}
	if i := strings.LastIndexByte(s, ':'); i >= 0 && (strings.Count(s, ":") == 1 || strings.HasSuffix(s[:i], "]")) {
		n, err := strconv.Atoi(s[i+1:])
		if err != nil || n < 1 || n > maxSlots {
			return h, fmt.Errorf("host %q: want NAME or NAME:N with N from 1 to %d", s, maxSlots)
		}
		h = host{s[:i], n}
	}
	h.name = strings.TrimSuffix(strings.TrimPrefix(h.name, "["), "]")
	if h.name == "" || strings.HasPrefix(h.name, "-") || strings.ContainsAny(h.name, " \t'\"\\") {
		return h, fmt.Errorf("host %q: want the name or address of a host", s)
	}
	return h, nil
}

// parseHosts reads a list, "a,b:2".
func parseHosts(list string) ([]host, error) {
	var hosts []host
	for s := range strings.SplitSeq(list, ",") {
		h, err := parseHost(strings.TrimSpace(s))
		if err != nil {
			return nil, err
		}
		hosts = merge(hosts, h)
	}
	return hosts, nil
}

// merge adds a host; one that is named again gets more slots.
func merge(hosts []host, h host) []host {
	for i := range hosts {
		if hosts[i].name == h.name {
			hosts[i].slots += h.slots
			return hosts
		}
	}
	return append(hosts, h)
}

// readHostfile reads a file of hosts, one a line, in the forms of MPICH, "name:3", and Open MPI, "name slots=3". What
// else Open MPI knows, "max_slots=" for one, is for its own placement and does not count here; neither do MPICH's
// "binding=" and the like.
func readHostfile(name string) ([]host, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("hostfile: %w", err)
	}
	defer f.Close()
	hosts, err := scanHostfile(f)
	if err != nil {
		return nil, fmt.Errorf("hostfile %s: %w", name, err)
	}
	if len(hosts) == 0 {
		return nil, fmt.Errorf("hostfile %s has no host", name)
	}
	return hosts, nil
}

func scanHostfile(r io.Reader) ([]host, error) {
	var hosts []host
	in := bufio.NewScanner(r)
	for line := 1; in.Scan(); line++ {
		text, _, _ := strings.Cut(in.Text(), "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		h, err := parseHost(words[0])
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		for _, w := range words[1:] {
			key, value, ok := strings.Cut(w, "=")
			if !ok {
				return nil, fmt.Errorf("line %d: %q: want NAME:N or NAME slots=N", line, w)
			}
			if key == "slots" {
				if h.slots, err = strconv.Atoi(value); err != nil || h.slots < 1 || h.slots > maxSlots {
					return nil, fmt.Errorf("line %d: slots=%q: want a number from 1 to %d", line, value, maxSlots)
				}
			}
		}
		hosts = merge(hosts, h)
	}
	return hosts, in.Err()
}

// isHere says whether a name is this host's, which needs no ssh.
func isHere(name string) bool {
	if name == "localhost" || name == "127.0.0.1" || name == "::1" {
		return true
	}
	self, err := os.Hostname()
	if err != nil || self == "" {
		return false
	}
	short, _, _ := strings.Cut(self, ".")
	return strings.EqualFold(name, self) || strings.EqualFold(name, short)
}
