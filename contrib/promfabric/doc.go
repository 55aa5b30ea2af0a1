// Package promfabric shows the numbers of a program's fabrics and domains (their Stats methods) to Prometheus:
//
//	c := promfabric.New()
//	prometheus.MustRegister(c)
//	...
//	remove := c.AddDomain(domain)
//	defer remove() // before domain.Close or after: what it has counted stays
//
// There are as many series as there are pairs of a provider and a domain's name (a device or an interface), times a number
// that does not depend on what the program does: endpoints, peers and connections have no labels of their own. Domains of
// one name are summed. A scrape takes no lock that an operation takes.
//
// dashboard.json is a dashboard for Grafana, the folder example a program to try it with. The package is a module of its
// own, so that a program that does not use it does not depend on Prometheus' library. It is safe for concurrent use, and
// reads no environment variables.
package promfabric
