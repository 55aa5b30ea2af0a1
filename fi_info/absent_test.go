package main

import (
	"slices"
	"strings"
	"testing"
)

// TestFirstMinutes2Verbs is the second point of the first five minutes: what is missing says how to get it.
func TestFirstMinutes2Verbs(t *testing.T) {
	w, out, _ := testWorld(nil)
	const advice = "no device in /sys/class/infiniband; load rdma_rxe for a software device: rdma link add rxe0 type rxe netdev eth0"
	if text := w.verbs("linux"); !strings.HasPrefix(text, advice+";") {
		t.Errorf("got %q", text)
	}
	if text := w.verbs("darwin"); !strings.HasPrefix(text, "not on darwin") {
		t.Errorf("got %q", text)
	}
	if code := w.run([]string{"--explain", "-p", "verbs"}); code != 61 {
		t.Errorf("status %d", code)
	}
	if !strings.HasPrefix(out.String(), "verbs: no") || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("got %q", out)
	}
	w, _, _ = testWorld(map[string]string{"sys/class/infiniband/mlx5_0/node_type": "", "sys/class/infiniband/rxe0/node_type": ""})
	if text := w.verbs("linux"); !strings.HasPrefix(text, "the machine has mlx5_0, rxe0; ") {
		t.Errorf("got %q", text)
	}
}

// TestAbsentTextsEnd finds texts about providers that have come since.
func TestAbsentTextsEnd(t *testing.T) {
	linked := providerNames()
	for _, p := range linked {
		if _, stale := absentText[p]; stale || slices.Contains(later, p) {
			t.Errorf("%s is linked in: drop the text that says it is not", p)
		}
	}
}
