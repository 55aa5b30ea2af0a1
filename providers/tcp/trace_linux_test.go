package tcp_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/testx/logbook"
)

// TestTraceOfHandshakes has the messages that open connections in the log, of both types of endpoints and of both sides.
func TestTraceOfHandshakes(t *testing.T) {
	env := map[string]string{"FI_TCP_TRACE_MSG": "1"}
	log := logbook.New(slog.LevelDebug - 10)
	all := openSides(t, 2, env, fi.DomainAttr{}, fabric.WithSlog(log))
	a, b := all[0], all[1]
	a.insert(t, b)
	a.reaches(t, b, peer)
	want := func(each int) {
		t.Helper()
		for _, what := range []string{"header=connect request, 32+", "header=connect response, 32+"} {
			log.Find(t, what, 2*each)
			ways := map[string]int{}
			for _, l := range log.With(what) {
				ways[strings.Fields(l)[1]]++
				if strings.Contains(l, "peer=unknown") {
					t.Error(l)
				}
			}
			if ways["sent"] != each || ways["received"] != each {
				t.Errorf("%s is there %v times, want %d of each way", what, ways, each)
			}
		}
	}
	want(1)
	p := openPlace(t, env, fabric.WithSlog(log))
	_, at := p.listen(t, nil)
	p.connect(t, nil, at)
	want(2)
	pep, at := p.listen(t, nil)
	ep, err := p.endpoint(t, p.info)
	check(t, err)
	check(t, ep.Connect(at, nil))
	var e fi.EQEntry
	check(t, p.eq.SRead(t.Context(), &e, 0))
	check(t, pep.Reject(e.Info.Handle, []byte("no")))
	log.Find(t, "header=reject, 32+2 bytes", 2)
}
