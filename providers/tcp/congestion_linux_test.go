package tcp_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/testx/logbook"
)

// TestUnknownCongestion asks for a congestion control that no system has: there is one warning, which says what there is.
func TestUnknownCongestion(t *testing.T) {
	log := logbook.New(slog.LevelWarn)
	openSides(t, 1, map[string]string{"FI_TCP_CONGESTION": "foo"}, fi.DomainAttr{}, fabric.WithSlog(log))
	const start = "WARN connections keep the system's congestion control variable=FI_TCP_CONGESTION value=foo reason="
	if l := log.Find(t, start, 1); !strings.Contains(l, "the system has no such one available=") && !strings.Contains(l, "may not choose it") {
		t.Error(l)
	}
	good := logbook.New(slog.LevelWarn)
	openSides(t, 1, map[string]string{"FI_TCP_CONGESTION": "reno"}, fi.DomainAttr{}, fabric.WithSlog(good))
	if l := good.With(""); len(l) > 0 {
		t.Errorf("of reno it warns:\n%s", strings.Join(l, "\n"))
	}
}
