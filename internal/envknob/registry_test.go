package envknob

import (
	"strings"
	"testing"
)

func TestAllIsSortedAndComplete(t *testing.T) {
	var names []string
	for _, d := range All() {
		names = append(names, d.Name)
	}
	list := strings.Join(names, " ")
	want := "FI_KNOBTEST_BOOL FI_KNOBTEST_INT FI_KNOBTEST_ROAD FI_KNOBTEST_SIZE FI_KNOBTEST_STRING"
	if list != want {
		t.Errorf("got %s", list)
	}
	d := All()[1]
	if d.Kind.String() != "Integer" || d.Default != "7" || d.Owner != "knobtest" || d.Help != "a number" {
		t.Errorf("got %+v", d)
	}
	if got := Kind(9).String(); got != "Kind(9)" {
		t.Errorf("got %s", got)
	}
}

func TestDefinitionMistakesPanic(t *testing.T) {
	try := func(name string, s *set) (msg any) {
		defer func() { msg = recover() }()
		define(s, Definition{Name: name, Owner: "x"}, 0, parseInt)
		return nil
	}
	var s set
	if m := try("FI_A", &s); m != nil {
		t.Errorf("first definition: %v", m)
	}
	if m, _ := try("FI_A", &s).(string); !strings.Contains(m, "twice") {
		t.Errorf("second definition: %v", m)
	}
	if m, _ := try("A", &s).(string); !strings.Contains(m, "FI_") {
		t.Errorf("bad name: %v", m)
	}
}

func TestUnknownVariables(t *testing.T) {
	var s set
	for _, n := range []string{"FI_LOG_LEVEL", "FI_LOG_PROV", "FI_PROVIDER", "FI_SHM_TX_SIZE"} {
		define(&s, Definition{Name: n}, "", func(v string) (string, error) { return v, nil })
	}
	got := s.unknown([]string{"HOME=/", "FI_PROVIDER=shm", "FI_LOG_LEVLE=info", "FI_SHM_TXSIZE=9", "FI_EFA_FORK_SAFE=1",
		"FI_COMPLETELY_DIFFERENT_THING=1", "FI_PROVIDR",
		"FI_TCP_IFACE=lo"})
	want := []string{
		"FI_COMPLETELY_DIFFERENT_THING is not a variable of this library, and no known one resembles it",
		"FI_EFA_FORK_SAFE has no effect: it belongs to libfabric's provider efa, which is not here",
		"FI_LOG_LEVLE is not a variable of this library; did you mean FI_LOG_LEVEL?",
		"FI_PROVIDR is not a variable of this library; did you mean FI_PROVIDER?",
		"FI_SHM_TXSIZE is not a variable of this library; did you mean FI_SHM_TX_SIZE?",
		"FI_TCP_IFACE has no effect: it belongs to libfabric's provider tcp, which is not here",
	}
	if len(got) != len(want) {
		t.Fatalf("got %v", got)
	}
	for i := range want {
		if got[i].String() != want[i] {
			t.Errorf("got  %s\nwant %s", got[i], want[i])
		}
	}
}
