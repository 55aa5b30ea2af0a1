package cfabtests

import (
	"slices"
	"strings"
)

// Role is what C's program is in a pair.
type Role string

// Roles.
const (
	Serves Role = "server"
	Joins  Role = "client"
)

// peers are the programs (without fi_) that can be the other side of ours, but for what limits says. Of the rest each side must
// be of the same kind.
var peers = []string{
	"av_xfer", "cm_data", "cq_data", "dgram", "dgram_pingpong", "flood", "inject_test", "msg", "msg_bw", "msg_epoll", "msg_pingpong",
	"msg_sockets", "multi_ep", "multi_recv", "pingpong", "rdm", "rdm_bw", "rdm_cntr_pingpong", "rdm_multi_client", "rdm_pingpong",
	"rdm_rma_event", "rdm_tagged_bw", "rdm_tagged_peek", "rdm_tagged_pingpong", "recv_cancel", "resmgmt_test", "rma_bw",
	"rma_pingpong", "rma_tx_completion", "shared_ctx", "unexpected_msg", "unmap_mem",
}

// limit is where a program of C cannot be the other side, or not a right one.
type limit struct {
	name     string
	args     string // words of the command line, all of them; empty: whatever it is
	provider string // empty: any
	role     Role   // empty: both
	before   [2]int // versions before; zero: all
	why      string
}

// older is why programs are no peers whose exchange was another one, or that failed.
const older = "C's programs before 1.22 send something else"

// limits are the known ones, most of them faults that two programs of C have as well.
var limits = []limit{
	{name: "av_xfer", args: "-e dgram", provider: "tcp", why: "C's tcp has no datagrams"},
	{name: "av_xfer", before: [2]int{1, 22}, why: older},
	{name: "cq_data", args: "-o", before: [2]int{1, 22}, why: "C's program has no -o before 1.22"},
	{name: "dgram_pingpong", role: Joins, before: [2]int{1, 22}, why: "C's client before 1.22 crashes"},
	{name: "flood", args: "-v", role: Joins, why: "C's client sends zeros, with -v, too, so that nothing can be verified"},
	{name: "inject_test", args: "-e msg", why: "C's program has RDM endpoints, whatever -e says"},
	{name: "multi_ep", args: "-e rdm", provider: "tcp", role: Serves, why: "C's server does not get its other endpoints over tcp"},
	{name: "multi_ep", before: [2]int{2, 0}, why: "C's program before 2.0 does not write"},
	{name: "multi_recv", before: [2]int{1, 22}, why: older},
	{name: "rdm_atomic", provider: "tcp", why: "C's tcp has no atomics"},
	{name: "rdm_bw", before: [2]int{1, 22}, why: older},
	{name: "rdm_cntr_pingpong", args: "-e msg", why: "C's program has RDM endpoints, whatever -e says"},
	{name: "rdm_cntr_pingpong", before: [2]int{1, 22}, why: older},
	{name: "rdm_deferred_wq", provider: "tcp", why: "C's tcp has no triggered operations"},
	{name: "rdm_multi_domain", provider: "tcp", why: "C's program opens no queue that its endpoints could be enabled with"},
	{name: "rdm_rma_event", provider: "tcp", role: Serves, why: "C's tcp counts no writes of its peer, for which its server waits"},
	{name: "rdm_rma_trigger", provider: "tcp", why: "C's tcp has no triggered operations"},
	{name: "rma_pingpong", args: "read", before: [2]int{2, 0}, why: "C's program does not read before 2.0"},
	{name: "rma_pingpong", before: [2]int{1, 22}, why: older},
	{name: "unexpected_msg", before: [2]int{1, 22}, why: older},
	{name: "unmap_mem", before: [2]int{1, 22}, why: older},
}

// NotPeer is why the program of that name (without fi_), with options as args, over a provider, cannot be the other side of
// ours in a role: empty when it can.
func (p *Programs) NotPeer(name string, args []string, provider string, role Role) string {
	for _, l := range limits {
		if l.name != name || l.provider != "" && l.provider != provider || l.role != "" && l.role != role || l.before != [2]int{} && p.Since(l.before[0], l.before[1]) {
			continue
		}
		if l.of(args) {
			return l.why
		}
	}
	if !slices.Contains(peers, name) {
		return "no peer of C's program"
	}
	return ""
}

// of tells whether it is about a command line: its words stand there, one behind the other.
func (l *limit) of(args []string) bool {
	words := strings.Fields(l.args)
	for i := range len(args) - len(words) + 1 {
		if slices.Equal(args[i:i+len(words)], words) {
			return true
		}
	}
	return false
}
