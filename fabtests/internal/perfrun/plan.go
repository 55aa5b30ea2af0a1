package perfrun

import "time"

// Plan says what is measured.
type Plan struct {
	Scenarios []string
	Providers []string // the best first
	Sizes     []int    // bytes
	Peers     []string // names of [Peers]
	Repeat    int
	Limit     time.Duration // how long all may take
	CPUs      []int         // the processors of server and client; nil: not pinned
}

// Ours is the name of this library beside its peers'.
const Ours = "gofabric"

// Curve is what one program measured over one provider, or what stands for that provider in the program.
type Curve struct {
	Scenario string
	Program  string // [Ours], or a peer's name
	Provider string
	Points   []Point // in the order of the plan's sizes; those without a run were not measured
	peer     peer    // nil for ours
	failed   bool    // the peer has, and is noted
}

// Latency tells whether a scenario's figure is the time of a message; that of others is a bandwidth.
func Latency(scenario string) bool {
	switch scenario {
	case "msg_pingpong", "rdm_pingpong", "rdm_tagged_pingpong", "rdm_cntr_pingpong", "rma_pingpong":
		return true
	}
	return false
}

// arguments are the options with which our scenario does what the peers do: safe threading, as a program gets it without
// asking, and remote memory that all may map, written by one side.
func arguments(scenario, provider string) []string {
	args := []string{"--local", "-p", provider, "--threading", "safe"}
	switch scenario {
	case "rma_bw":
		args = append(args, "--alloc", "--one-way")
	case "rma_pingpong":
		args = append(args, "--alloc")
	}
	return args
}

// curves are all that a plan has, each scenario's and provider's together, ours first.
func (p *Plan) curves(peers []peer) []*Curve {
	var all []*Curve
	add := func(c Curve) {
		for _, n := range p.Sizes {
			c.Points = append(c.Points, Point{Size: n})
		}
		all = append(all, &c)
	}
	for _, s := range p.Scenarios {
		for _, prov := range p.Providers {
			add(Curve{Scenario: s, Program: Ours, Provider: prov})
			for _, x := range peers {
				if x.measures(s, prov) {
					add(Curve{Scenario: s, Program: x.name(), Provider: prov, peer: x})
				}
			}
		}
	}
	return all
}
