package promfabric_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gofabric/gofabric/contrib/promfabric"
	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/providers/mem"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/client_golang/prometheus/testutil"
)

// talk is an endpoint that talks to itself.
type talk struct {
	t   *testing.T
	fab *fabric.Fabric
	dom *fabric.Domain
	ep  *fabric.Endpoint
	q   *fabric.CQ
	av  *fabric.AV
}

func (k *talk) check(errs ...error) {
	k.t.Helper()
	for _, err := range errs {
		if err != nil {
			k.t.Fatal(err)
		}
	}
}

func open(t *testing.T) *talk {
	t.Helper()
	with := fabric.WithRegistry(fabric.NewRegistry(mem.New()))
	infos, err := fabric.GetInfo(context.Background(), &fi.Hints{Caps: fi.CapTagged, EP: &fi.EPAttr{Type: fi.EPRDM}}, with)
	k := &talk{t: t}
	k.check(err)
	k.fab, err = fabric.Open(infos[0], with)
	k.check(err)
	k.dom, err = k.fab.OpenDomain(infos[0])
	k.check(err)
	k.ep, err = k.dom.OpenEndpoint(infos[0])
	k.check(err)
	k.q, err = k.dom.OpenCQ(nil)
	k.check(err)
	k.av, err = k.dom.OpenAV(nil)
	k.check(err, k.ep.BindCQ(k.q, fi.BindTransmit|fi.BindRecv), k.ep.BindAV(k.av), k.ep.Enable())
	name, err := k.ep.Name()
	k.check(err)
	_, err = k.av.Insert([][]byte{name}, nil, 0)
	k.check(err)
	t.Cleanup(k.close)
	return k
}

func (k *talk) close() {
	k.t.Helper()
	k.check(k.ep.Close(), k.q.Close(), k.av.Close(), k.dom.Close(), k.fab.Close())
}

// send moves n messages of 10 bytes.
func (k *talk) send(n int) {
	k.t.Helper()
	ctx, end := context.WithTimeout(context.Background(), 30*time.Second)
	defer end()
	for range n {
		k.check(k.ep.TRecv(make([]byte, 10), fi.AddrUnspec, 1, 0, nil), k.ep.TSend(make([]byte, 10), 0, 1, nil))
		for left := 2; left > 0; {
			got, err := k.q.SRead(ctx, make([]cq.Entry, left))
			k.check(err)
			left -= got
		}
	}
}

// scrape gives what Prometheus would get.
func scrape(t *testing.T, r *prometheus.Registry) string {
	t.Helper()
	w := httptest.NewRecorder()
	promhttp.HandlerFor(r, promhttp.HandlerOpts{}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if w.Code != http.StatusOK {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	return w.Body.String()
}

func want(t *testing.T, text string, lines ...string) {
	t.Helper()
	for _, l := range lines {
		if !strings.Contains(text, "\n"+l+"\n") {
			t.Errorf("there is no line %s", l)
		}
	}
	if t.Failed() {
		t.Logf("%s", text)
	}
}

const labels = `{domain="mem",provider="mem"}`

// TestScrape does things, and finds them in a scrape; of what is removed and closed the counts stay.
func TestScrape(t *testing.T) {
	c, r := promfabric.New(), prometheus.NewRegistry()
	r.MustRegister(c)
	k, other := open(t), open(t)
	remove, removeOther := c.AddDomain(k.dom), c.AddDomain(other.dom)
	defer removeOther()
	removeFabric := c.AddFabric("mem", k.fab)
	k.send(3)
	other.send(2)
	k.check(k.ep.TInject(make([]byte, 7), 0, 2), k.ep.TRecv(nil, fi.AddrUnspec, 9, 0, nil))
	want(t, scrape(t, r),
		`gofabric_operations_total{domain="mem",op="tsend",provider="mem"} 6`,
		`gofabric_operations_total{domain="mem",op="trecv",provider="mem"} 5`,
		`gofabric_operations_total{domain="mem",op="write",provider="mem"} 0`,
		`gofabric_operation_bytes_total{domain="mem",op="tsend",provider="mem"} 57`,
		`gofabric_unexpected_messages`+labels+` 1`,
		`gofabric_receives_posted`+labels+` 1`,
		`gofabric_completions_written_total`+labels+` 10`,
		`gofabric_objects{domain="mem",kind="endpoint",provider="mem"} 2`,
		`gofabric_av_addresses`+labels+` 2`,
		`gofabric_domains{provider="mem"} 1`,
	)
	remove()
	remove()
	removeFabric()
	k.send(1) // not seen any more
	want(t, scrape(t, r),
		`gofabric_operations_total{domain="mem",op="tsend",provider="mem"} 6`,
		`gofabric_unexpected_messages`+labels+` 0`,
		`gofabric_objects{domain="mem",kind="endpoint",provider="mem"} 1`,
		`gofabric_domains{provider="mem"} 0`,
	)
}

// TestConventions has the metrics' names, units and helps looked at, and that their number does not grow with use.
func TestConventions(t *testing.T) {
	c, r := promfabric.New(), prometheus.NewPedanticRegistry()
	r.MustRegister(c)
	k := open(t)
	defer c.AddDomain(k.dom)()
	defer c.AddFabric("mem", k.fab)()
	problems, err := testutil.GatherAndLint(r)
	k.check(err)
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	before := testutil.CollectAndCount(c)
	k.send(10)
	for range 10 {
		defer c.AddDomain(open(t).dom)()
	}
	if after := testutil.CollectAndCount(c); after != before || before == 0 {
		t.Errorf("%d series, before use %d", after, before)
	}
}

// TestDashboard reads the example of a dashboard: it asks for nothing that is not there.
func TestDashboard(t *testing.T) {
	text, err := os.ReadFile("dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Title  string
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&d); err != nil {
		t.Fatal(err)
	}
	c, r := promfabric.New(), prometheus.NewRegistry()
	r.MustRegister(c)
	k := open(t)
	defer c.AddDomain(k.dom)()
	defer c.AddFabric("mem", k.fab)()
	there := scrape(t, r)
	asked := 0
	for _, p := range d.Panels {
		for _, target := range p.Targets {
			for _, name := range regexp.MustCompile(`gofabric_[a-z_]+`).FindAllString(target.Expr, -1) {
				asked++
				if !strings.Contains(there, "\n# TYPE "+name+" ") {
					t.Errorf("panel %q asks for %s", p.Title, name)
				}
			}
		}
	}
	if d.Title == "" || asked < 10 {
		t.Errorf("dashboard %q asks for %d metrics", d.Title, asked)
	}
}
