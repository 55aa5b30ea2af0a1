package main

import (
	"strings"
	"testing"
)

// verboseFields is the order of libfabric's verbose output: the lines of each group.
const verboseFields = `
fi_info: caps mode addr_format src_addrlen dest_addrlen src_addr dest_addr handle
fi_tx_attr: caps mode op_flags msg_order inject_size size iov_limit rma_iov_limit tclass
fi_rx_attr: caps mode op_flags msg_order size iov_limit
fi_ep_attr: type protocol protocol_version max_msg_size msg_prefix_size max_order_raw_size max_order_war_size
  max_order_waw_size mem_tag_format tx_ctx_cnt rx_ctx_cnt auth_key_size
fi_domain_attr: domain name threading progress resource_mgmt av_type mr_mode mr_key_size cq_data_size cq_cnt ep_cnt
  tx_ctx_cnt rx_ctx_cnt max_ep_tx_ctx max_ep_rx_ctx max_ep_stx_ctx max_ep_srx_ctx cntr_cnt mr_iov_limit caps mode
  auth_key_size max_err_data mr_cnt tclass max_ep_auth_key max_group_id max_cntr_value max_err_cntr_value
fi_fabric_attr: name prov_name prov_version api_version
nic:`

// TestVerboseFieldOrder compares the lines of -v, their order and their depth with libfabric 2.6's.
func TestVerboseFieldOrder(t *testing.T) {
	w, out, _ := testWorld(nil)
	if code := w.run([]string{"-v", "-p", "mem", "-t", "rdm"}); code != 0 {
		t.Fatalf("status %d", code)
	}
	var got []string
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if lines[0] != "---" {
		t.Errorf("the block starts with %q", lines[0])
	}
	for _, line := range lines[1:] {
		name, val, _ := strings.Cut(strings.TrimSpace(line), ":")
		depth := (len(line) - len(strings.TrimLeft(line, " "))) / 4
		switch {
		case name == "fi_info" && depth == 0, depth == 1 && val == "", name == "nic":
			got = append(got, name+":")
		case name == "nic" || depth == 1 && got[0] == "fi_info:" && len(got) < 10, depth == 2:
			got = append(got, name)
		default:
			t.Errorf("%q stands at depth %d", line, depth)
		}
		if val != "" && val[0] != ' ' {
			t.Errorf("no blank behind the colon: %q", line)
		}
	}
	if text := strings.Join(got, " "); text != strings.Join(strings.Fields(verboseFields), " ") {
		t.Errorf("got\n%s", text)
	}
}
