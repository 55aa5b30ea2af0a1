package fi

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// TestStatsText has numbers with their names, and nothing that is zero.
func TestStatsText(t *testing.T) {
	var s EndpointStats
	s.Ops[OpKindTSend] = OpStats{Done: 3, Bytes: 192}
	s.Ops[OpKindRead] = OpStats{Failed: 1}
	s.Rx.Posted = 2
	const want = "{Ops:{tsend:{Done:3 Bytes:192} read:{Failed:1}} Rx:{Posted:2}}"
	for _, got := range []string{fmt.Sprint(s), fmt.Sprintf("%+v", s), fmt.Sprintf("%+v", &s), s.String()} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if got, want := fmt.Sprintf("%+v", DomainStats{Endpoint: s, MRs: 1}), "{MRs:1 Endpoint:"+want+"}"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := fmt.Sprintf("%#v", ConnStats{Open: 1}); got != "fi.ConnStats{Open:0x1, Opened:0x0, Failed:0x0, Retry:0x0}" {
		t.Errorf("Go's form is %s", got)
	}
	for _, s := range []fmt.Stringer{&OpStats{}, &OpTable{}, &RxStats{}, &ConnStats{}, &EndpointStats{}, &QueueStats{}, &CounterStats{},
		&AVStats{}, &MRStats{}, &SharedTxStats{}, &GroupStats{}, &PassiveStats{}, &EngineStats{}, &DomainStats{}, &FabricStats{}} {
		if got := s.String(); got != "{}" {
			t.Errorf("%T: %s for nothing", s, got)
		}
		v := reflect.ValueOf(s).Elem()
		fillNumbers(t, v, 4)
		if got, want := strings.Count(s.String(), ":4"), countNumbers(v); got != want {
			t.Errorf("%T shows %d of %d numbers: %s", s, got, want, s)
		}
	}
}

// countNumbers tells how many numbers there are in v.
func countNumbers(v reflect.Value) (n int) {
	switch v.Kind() {
	case reflect.Struct:
		for _, field := range v.Fields() {
			n += countNumbers(field)
		}
	case reflect.Array:
		for i := range v.Len() {
			n += countNumbers(v.Index(i))
		}
	default:
		n = 1
	}
	return n
}
