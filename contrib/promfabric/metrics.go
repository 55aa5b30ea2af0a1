package promfabric

import (
	"github.com/gofabric/gofabric/fi"
	"github.com/prometheus/client_golang/prometheus"
)

// metric is one metric of numbers of type S.
type metric[S any] struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value func(*S) uint64
}

const namespace = "gofabric"

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(namespace+"_"+name, help, labels, nil)
}

var objectsDesc = describe("objects", "Objects that are open, by kind: endpoint, cq, counter, av, mr.", "provider", "domain", "kind")

func op(name, help string, f func(*fi.OpStats) uint64) metric[fi.OpStats] {
	return metric[fi.OpStats]{describe(name, help, "provider", "domain", "op"), prometheus.CounterValue, f}
}

var opMetrics = []metric[fi.OpStats]{
	op("operations_total", "Operations that have completed successfully, by kind; remote_ are those of peers on our memory.", func(s *fi.OpStats) uint64 { return s.Done }),
	op("operation_errors_total", "Operations that have completed in error, those that were cancelled too.", func(s *fi.OpStats) uint64 { return s.Failed }),
	op("operation_bytes_total", "Bytes that successful operations have moved.", func(s *fi.OpStats) uint64 { return s.Bytes }),
}

func count(name, help string, f func(*fi.DomainStats) uint64) metric[fi.DomainStats] {
	return metric[fi.DomainStats]{describe(name+"_total", help, "provider", "domain"), prometheus.CounterValue, f}
}

func level(name, help string, f func(*fi.DomainStats) uint64) metric[fi.DomainStats] {
	return metric[fi.DomainStats]{describe(name, help, "provider", "domain"), prometheus.GaugeValue, f}
}

var domainMetrics = []metric[fi.DomainStats]{
	level("operations_pending", "Sends, remote accesses and atomics that have not completed.", func(s *fi.DomainStats) uint64 { return s.Endpoint.Pending }),
	count("operations_again", "Operations that were not accepted for want of room (FI_EAGAIN).", func(s *fi.DomainStats) uint64 { return s.Endpoint.Again }),

	level("receives_posted", "Receives that wait for messages.", func(s *fi.DomainStats) uint64 { return s.Endpoint.Rx.Posted }),
	level("unexpected_messages", "Messages that wait for receives.", func(s *fi.DomainStats) uint64 { return s.Endpoint.Rx.Unexpected }),
	level("unexpected_bytes", "Memory that messages hold which wait for receives.", func(s *fi.DomainStats) uint64 { return s.Endpoint.Rx.UnexpectedBytes }),
	count("unexpected_messages_kept", "Messages that came before their receive.", func(s *fi.DomainStats) uint64 { return s.Endpoint.Rx.Kept }),
	count("senders_held", "Times that a sender was told to wait, since too much was kept.", func(s *fi.DomainStats) uint64 { return s.Endpoint.Rx.Held }),

	level("connections", "Connections to peers that are open.", func(s *fi.DomainStats) uint64 { return s.Endpoint.Conns.Open }),
	count("connections_opened", "Connections that were made.", func(s *fi.DomainStats) uint64 { return s.Endpoint.Conns.Opened }),
	count("connection_failures", "Connections that could not be made.", func(s *fi.DomainStats) uint64 { return s.Endpoint.Conns.Failed }),
	count("connection_retries", "Attempts to connect after the first.", func(s *fi.DomainStats) uint64 { return s.Endpoint.Conns.Retry }),

	count("completions_written", "Entries of completion queues.", func(s *fi.DomainStats) uint64 { return s.CQ.Written }),
	count("completions_read", "Entries of completion queues that the program has read.", func(s *fi.DomainStats) uint64 { return s.CQ.Read }),
	count("completion_errors", "Entries of completion queues that are errors.", func(s *fi.DomainStats) uint64 { return s.CQ.Errors }),
	level("completions_waiting", "Entries of completion queues that wait to be read.", func(s *fi.DomainStats) uint64 { return s.CQ.Depth }),
	level("completions_waiting_max", "Entries that waited in one completion queue at most.", func(s *fi.DomainStats) uint64 { return s.CQ.MostDeep }),
	count("completion_queue_full", "Operations that found no place in a completion queue.", func(s *fi.DomainStats) uint64 { return s.CQ.Full }),
	count("completion_reader_sleeps", "Times that a reader of a completion queue went to sleep.", func(s *fi.DomainStats) uint64 { return s.CQ.Sleeps }),

	level("av_addresses", "Addresses in use in address vectors.", func(s *fi.DomainStats) uint64 { return s.AV.Addresses }),
	count("av_insertions", "Addresses that were inserted in address vectors.", func(s *fi.DomainStats) uint64 { return s.AV.Inserted }),
	count("av_removals", "Addresses that were removed from address vectors.", func(s *fi.DomainStats) uint64 { return s.AV.Removed }),

	level("mr_bytes", "Memory that is registered.", func(s *fi.DomainStats) uint64 { return s.MRBytes }),
	level("mr_max_bytes", "Memory that was registered at most.", func(s *fi.DomainStats) uint64 { return s.MostBytes }),
	count("mr_registrations", "Regions that were registered.", func(s *fi.DomainStats) uint64 { return s.Registered }),

	count("deferred_work", "Deferred and triggered operations that were accepted.", func(s *fi.DomainStats) uint64 { return s.Work }),
	count("progress_wakeups", "Times that the progress goroutine was woken.", func(s *fi.DomainStats) uint64 { return s.Engine.Wakeups }),
	count("progress_ticks", "Ticks of the timer that runs while the program polls.", func(s *fi.DomainStats) uint64 { return s.Engine.Ticks }),
	level("parked_readers", "Readers that sleep.", func(s *fi.DomainStats) uint64 { return s.Engine.Parked }),
}

func fabricCount(name, help string, f func(*fi.FabricStats) uint64) metric[fi.FabricStats] {
	return metric[fi.FabricStats]{describe(name+"_total", help, "provider"), prometheus.CounterValue, f}
}

func fabricLevel(name, help string, f func(*fi.FabricStats) uint64) metric[fi.FabricStats] {
	return metric[fi.FabricStats]{describe(name, help, "provider"), prometheus.GaugeValue, f}
}

var fabricMetrics = []metric[fi.FabricStats]{
	fabricLevel("domains", "Domains that are open.", func(s *fi.FabricStats) uint64 { return s.Domains }),
	fabricLevel("event_queues", "Event queues that are open.", func(s *fi.FabricStats) uint64 { return s.EQs }),
	fabricLevel("passive_endpoints", "Passive endpoints that are open.", func(s *fi.FabricStats) uint64 { return s.Passives }),
	fabricCount("events_written", "Events of event queues.", func(s *fi.FabricStats) uint64 { return s.EQ.Written }),
	fabricCount("event_errors", "Events in error.", func(s *fi.FabricStats) uint64 { return s.EQ.Errors }),
	fabricLevel("events_waiting", "Events that wait to be read.", func(s *fi.FabricStats) uint64 { return s.EQ.Depth }),
	fabricCount("connection_requests", "Requests for connections that came in.", func(s *fi.FabricStats) uint64 { return s.Passive.Requests }),
	fabricLevel("connection_requests_waiting", "Requests for connections that nobody has read.", func(s *fi.FabricStats) uint64 { return s.Passive.Waiting }),
	fabricCount("connection_requests_accepted", "Requests for which an endpoint was opened.", func(s *fi.FabricStats) uint64 { return s.Passive.Accepted }),
	fabricCount("connection_requests_rejected", "Requests that were rejected.", func(s *fi.FabricStats) uint64 { return s.Passive.Rejected }),
}
