package runner

import (
	"slices"
	"strings"
)

// Sets are the names that -t takes, in the order of the manual.
var Sets = []string{"quick", "unit", "functional", "short", "standard", "complex", "multinode", "threaded", "regression", "all"}

// unions are sets that are made of others.
var unions = map[string][]string{
	"quick": {"unit", "functional", "short"},
	"all":   {"unit", "regression", "functional", "standard", "complex", "multinode", "threaded"},
}

// What stands for an address in a line.
const (
	serverAddress = "@server" // of the server's interface
	goodAddress   = "@good"   // -g, else that of the server
	goodOption    = "@-g"     // -g and its address, where one was given
)

// badHost is a host that must not exist.
const badHost = "g00n13s"

// lines are the sets: for each scenario, by its name without fi_, the options of its runs. What stands behind badHost must
// fail with FI_ENODATA.
var lines = []struct {
	set  string
	runs []string
}{
	{"unit", []string{
		"getinfo_test -s @server @good",
		"av_test @-g -n 1 -s @server -e rdm",
		"av_test @-g -n 1 -s @server -e dgram",
		"dom_test -n 2",
		"eq_test",
		"cq_test",
		"mr_test",
		"mr_cache_evict",
		"cntr_test",
		"setopt_test",
		"dgram " + badHost,
		"rdm " + badHost,
		"msg " + badHost,
	}},
	{"functional", []string{
		"av_xfer -e rdm",
		"av_xfer -e dgram",
		"cm_data",
		"cq_data -e msg -o senddata",
		"cq_data -e rdm -o senddata",
		"cq_data -e dgram -o senddata",
		"cq_data -e msg -o writedata",
		"cq_data -e rdm -o writedata",
		"cq_data -e dgram -o writedata",
		"dgram",
		"flood",
		"flood -U",
		"flood -e rdm -v -T 1",
		"flood -e rdm -v -T 1 -U",
		"flood -e msg -v -T 1",
		"inject_test -A inject -v",
		"inject_test -N -A inject -v",
		"inject_test -A inj_complete -v",
		"inject_test -N -A inj_complete -v",
		"inject_test -e msg -A inject -v",
		"inject_test -e msg -A inj_complete -v",
		"loopback",
		"mcast",
		"msg",
		"msg_epoll",
		"msg_sockets",
		"multi_ep -e msg",
		"multi_ep -e rdm",
		"multi_ep -e msg -v -A",
		"multi_ep -e rdm -v -A",
		"multi_ep -e msg -v -Q",
		"multi_ep -e rdm -v -Q",
		"multi_ep -e msg -v -A -Q",
		"multi_ep -e rdm -v -A -Q",
		"multi_ep -e msg -v --threading completion",
		"multi_ep -e rdm -v --threading completion",
		"multi_ep -e msg -v -A --threading completion",
		"multi_ep -e rdm -v -A --threading completion",
		"multi_ep -e msg -v -Q --threading completion",
		"multi_ep -e rdm -v -Q --threading completion",
		"multi_ep -e msg -v -A -Q --threading completion",
		"multi_ep -e rdm -v -A -Q --threading completion",
		"multi_mr -e msg -V",
		"multi_mr -e rdm -V",
		"multi_recv -e msg",
		"multi_recv -e rdm",
		"pingpong -e msg -I 5 -c",
		"pingpong -e rdm -I 5 -c",
		"rdm",
		"rdm -U",
		"rdm_atomic -I 5 -o all -v",
		"rdm_deferred_wq",
		"rdm_multi_client -C 10 -I 5",
		"rdm_multi_client -C 10 -I 5 -U",
		"rdm_multi_domain -V",
		"rdm_rma_event",
		"rdm_rma_trigger",
		"rdm_shared_av",
		"rdm_tagged_peek",
		"recv_cancel -e msg -V",
		"recv_cancel -e rdm -V",
		"resmgmt_test",
		"resmgmt_test -t",
		"scalable_ep",
		"shared_ctx -e rdm",
		"shared_ctx -e rdm --no-tx-shared-ctx",
		"shared_ctx -e rdm --no-rx-shared-ctx",
		"shared_ctx -e msg",
		"shared_ctx -e msg --no-tx-shared-ctx",
		"shared_ctx -e msg --no-rx-shared-ctx",
		"shared_ctx -e dgram",
		"shared_ctx -e dgram --no-tx-shared-ctx",
		"shared_ctx -e dgram --no-rx-shared-ctx",
		"unexpected_msg -e msg -I 10 -v",
		"unexpected_msg -e rdm -I 10 -v",
		"unexpected_msg -e rdm -I 10",
		"unexpected_msg -e rdm -I 10 -C",
		"unexpected_msg -e rdm -I 10 -S 16384 -v",
		"unmap_mem",
	}},
	{"short", []string{
		"msg_pingpong -I 5",
		"msg_pingpong -I 5 -v",
		"msg_bw -I 5",
		"msg_bw -I 5 -v",
		"rma_bw -e msg -o write -I 5",
		"rma_bw -e msg -o read -I 5",
		"rma_bw -e msg -o writedata -I 5",
		"rma_bw -e rdm -o write -I 5",
		"rma_bw -e rdm -o write -I 5 -U",
		"rma_bw -e rdm -o read -I 5",
		"rma_bw -e rdm -o read -I 5 -U",
		"rma_bw -e rdm -o writedata -I 5",
		"rma_bw -e rdm -o writedata -I 5 -U",
		"rma_pingpong -e msg -o write -I 5",
		"rma_pingpong -e msg -o read -I 5",
		"rma_pingpong -e msg -o writedata -I 5",
		"rma_pingpong -e rdm -o write -I 5",
		"rma_pingpong -e rdm -o read -I 5",
		"rma_pingpong -e rdm -o writedata -I 5",
		"rma_tx_completion -o write -I 5",
		"rma_tx_completion -o writedata -I 5",
		"rdm_atomic -I 5 -o all",
		"rdm_atomic -I 5 -o all -U",
		"rdm_atomic -I 5 -o all -v",
		"rdm_atomic -I 5 -o all -U -v",
		"rdm_cntr_pingpong -I 5",
		"rdm_cntr_pingpong -e msg -I 5",
		"multi_recv -e rdm -I 5",
		"multi_recv -e msg -I 5",
		"rdm_pingpong -I 5",
		"rdm_pingpong -I 5 -v",
		"rdm_pingpong -I 5 -U",
		"rdm_pingpong -I 5 -v -U",
		"rdm_tagged_pingpong -I 5",
		"rdm_tagged_pingpong -I 5 -v",
		"rdm_tagged_pingpong -I 5 -U",
		"rdm_tagged_pingpong -I 5 -v -U",
		"rdm_bw -I 5",
		"rdm_bw -I 5 -v",
		"rdm_tagged_bw -I 5",
		"rdm_tagged_bw -I 5 -v",
		"rdm_tagged_bw -I 5 -U",
		"rdm_tagged_bw -I 5 -v -U",
		"dgram_pingpong -I 5",
		"rdm_pingpong -I 5 -c sread",
		"rdm_tagged_pingpong -I 5 -c sread",
	}},
	{"standard", []string{
		"msg_pingpong",
		"msg_pingpong -v",
		"msg_pingpong -k",
		"msg_pingpong -k -v",
		"msg_bw",
		"msg_bw -v",
		"rma_bw -e msg -o write",
		"rma_bw -e msg -o read",
		"rma_bw -e msg -o writedata",
		"rma_bw -e rdm -o write",
		"rma_bw -e rdm -o read",
		"rma_bw -e rdm -o writedata",
		"rma_bw -e rdm -o write -U",
		"rma_bw -e rdm -o read -U",
		"rma_bw -e rdm -o writedata -U",
		"rma_pingpong -e msg -o write",
		"rma_pingpong -e msg -o read",
		"rma_pingpong -e msg -o writedata",
		"rma_pingpong -e rdm -o write",
		"rma_pingpong -e rdm -o read",
		"rma_pingpong -e rdm -o writedata",
		"rma_tx_completion -o write",
		"rma_tx_completion -o writedata",
		"rdm_atomic -o all -I 1000",
		"rdm_atomic -o all -I 1000 -U",
		"rdm_atomic -o all -I 1000 -v",
		"rdm_atomic -o all -I 1000 -U -v",
		"rdm_cntr_pingpong",
		"multi_recv -e rdm",
		"multi_recv -e msg",
		"rdm_pingpong",
		"rdm_pingpong -v",
		"rdm_pingpong -k",
		"rdm_pingpong -k -v",
		"rdm_pingpong -U",
		"rdm_pingpong -v -U",
		"rdm_pingpong -k -U",
		"rdm_pingpong -k -v -U",
		"rdm_tagged_pingpong",
		"rdm_tagged_pingpong -v",
		"rdm_tagged_pingpong -k",
		"rdm_tagged_pingpong -U",
		"rdm_tagged_pingpong -v -U",
		"rdm_bw",
		"rdm_bw -v",
		"rdm_tagged_bw",
		"rdm_tagged_bw -v",
		"rdm_tagged_bw -U",
		"rdm_tagged_bw -v -U",
		"dgram_pingpong",
		"dgram_pingpong -v",
		"dgram_pingpong -k",
	}},
	{"complex", []string{"ubertest"}},
	{"multinode", []string{"multinode -n 3 -x msg", "multinode -n 3 -x rma", "multinode_coll -n 3"}},
	{"threaded", []string{
		"rdm_bw_mt -n 8",
		"rdm_bw_mt -n 16",
		"rdm_bw_mt -n 32",
		"rdm_bw_mt -n 8 -g",
		"rdm_bw_mt -n 16 -g",
		"rdm_bw_mt -n 32 -g",
	}},
	{"regression", []string{"sighandler_test"}},
}

// Scenarios are all names of the sets, sorted.
func Scenarios() []string {
	var names []string
	for _, s := range lines {
		for _, run := range s.runs {
			names = append(names, strings.Fields(run)[0])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// resolve makes a list of elementary sets, each once, in the order given.
func resolve(sets []string) []string {
	var out []string
	for _, name := range sets {
		parts, union := unions[name]
		if !union {
			parts = []string{name}
		}
		for _, p := range parts {
			if !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
	}
	return out
}
