package promfabric

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/prometheus/client_golang/prometheus"
)

// Collector gives the numbers of the domains and fabrics that it was told of. Make it with [New].
type Collector struct {
	mu      sync.Mutex
	domains sums[domainLabels, fi.DomainStats, *fabric.Domain] // +checklocks:mu
	fabrics sums[string, fi.FabricStats, *fabric.Fabric]       // by provider; +checklocks:mu
}

var _ prometheus.Collector = (*Collector)(nil)

// domainLabels are what tells domains apart.
type domainLabels struct{ provider, domain string }

// New makes a collector that knows of nothing yet. Register it once.
func New() *Collector { return &Collector{} }

// AddDomain has the collector show a domain's numbers until remove is called, once. Then the counts stay, so that they do
// not fall, and levels such as the number of open endpoints go. A domain that is closed may stay: it gives its last numbers.
func (c *Collector) AddDomain(d *fabric.Domain) (remove func()) {
	info := d.Info()
	k := domainLabels{info.Fabric.ProvName, info.Domain.Name}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.domains.add(k, d)
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		s := d.Stats()
		s.DropLevels()
		c.domains.remove(k, d, func(total *fi.DomainStats) { total.Add(&s) })
	})
}

// AddFabric is AddDomain for a fabric's event queues and passive endpoints; provider is Fabric.ProvName of the Info that it
// was opened with. It does not add the fabric's domains.
func (c *Collector) AddFabric(provider string, f *fabric.Fabric) (remove func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fabrics.add(provider, f)
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		s := f.Stats()
		s.DropLevels()
		c.fabrics.remove(provider, f, func(total *fi.FabricStats) { total.Add(&s) })
	})
}

// Describe gives the descriptions of all metrics.
func (c *Collector) Describe(out chan<- *prometheus.Desc) {
	for i := range domainMetrics {
		out <- domainMetrics[i].desc
	}
	for i := range opMetrics {
		out <- opMetrics[i].desc
	}
	for i := range fabricMetrics {
		out <- fabricMetrics[i].desc
	}
	out <- objectsDesc
}

// Collect gives the numbers as they are now.
func (c *Collector) Collect(out chan<- prometheus.Metric) {
	c.mu.Lock()
	domains := c.domains.totals(func(s *fi.DomainStats, d *fabric.Domain) {
		one := d.Stats()
		s.Add(&one)
	})
	fabrics := c.fabrics.totals(func(s *fi.FabricStats, f *fabric.Fabric) {
		one := f.Stats()
		s.Add(&one)
	})
	c.mu.Unlock() // who receives may take its time
	for _, k := range slices.SortedFunc(maps.Keys(domains), func(a, b domainLabels) int {
		return cmp.Or(cmp.Compare(a.provider, b.provider), cmp.Compare(a.domain, b.domain))
	}) {
		sendDomain(out, domains[k], k)
	}
	for _, provider := range slices.Sorted(maps.Keys(fabrics)) {
		s := fabrics[provider]
		for i := range fabricMetrics {
			m := &fabricMetrics[i]
			out <- prometheus.MustNewConstMetric(m.desc, m.kind, float64(m.value(s)), provider)
		}
	}
}

// sendDomain gives the series of one pair of labels.
func sendDomain(out chan<- prometheus.Metric, s *fi.DomainStats, k domainLabels) {
	for i := range domainMetrics {
		m := &domainMetrics[i]
		out <- prometheus.MustNewConstMetric(m.desc, m.kind, float64(m.value(s)), k.provider, k.domain)
	}
	for kind := range fi.OpKinds { // those that have not happened, too: a rate needs the 0 before the first
		for i := range opMetrics {
			m := &opMetrics[i]
			out <- prometheus.MustNewConstMetric(m.desc, m.kind, float64(m.value(&s.Endpoint.Ops[kind])), k.provider, k.domain, kind.String())
		}
	}
	for name, n := range map[string]uint64{"endpoint": s.Endpoints, "cq": s.CQs, "counter": s.Counters, "av": s.AVs, "mr": s.MRs} {
		out <- prometheus.MustNewConstMetric(objectsDesc, prometheus.GaugeValue, float64(n), k.provider, k.domain, name)
	}
}
