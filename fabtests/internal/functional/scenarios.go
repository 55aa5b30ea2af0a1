package functional

import (
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fi"
)

// connectedCaps is what -o asks for where it says what kind of messages are sent.
func connectedCaps(o *options.Options) fi.Caps {
	if o.Op == "tagged" {
		return fi.CapTagged
	}
	return fi.CapMsg
}

// Scenarios lists the programs.
func Scenarios() []scenario.Scenario {
	caps := func(c fi.Caps) func(*options.Options) fi.Caps {
		return func(*options.Options) fi.Caps { return c }
	}
	list := []scenario.Scenario{
		{Name: "msg", Summary: "a greeting over a connection", EPType: fi.EPMsg, Caps: caps(fi.CapMsg), Run: runMsg},
		{Name: "msg_epoll", Summary: "the same, each completion waited for in an epoll", EPType: fi.EPMsg, Caps: caps(fi.CapMsg), Run: runMsgEpoll},
		{Name: "msg_sockets", Summary: "the same, from addresses that passive endpoints had", EPType: fi.EPMsg, Caps: caps(fi.CapMsg), Run: runMsgSockets},
		{Name: "cm_data", Summary: "data that comes with a connection, an answer, a refusal", EPType: fi.EPMsg, Caps: caps(fi.CapMsg), OOB: true,
			Options: cmDataOptions, Run: runCMData},
		{Name: "shared_ctx", Summary: "endpoints that share a receive or a transmit context", Caps: connectedCaps, Ops: []string{"msg", "tagged"},
			Options: sharedCtxOptions, Hints: sharedCtxHints, Run: runSharedCtx},
		{Name: "scalable_ep", Summary: "messages to and from each context of a scalable endpoint", Caps: caps(fi.CapMsg | fi.CapNamedRxCtx), Run: runScalable},
		{Name: "rdm", Summary: "a greeting from client to server", Caps: caps(fi.CapMsg), Run: runRDM},
		{Name: "dgram", Summary: "a greeting by a datagram", EPType: fi.EPDgram, Caps: caps(fi.CapMsg), Run: runRDM},
		{Name: "mcast", Summary: "a greeting by a datagram to a multicast group", EPType: fi.EPDgram, Caps: caps(fi.CapMsg | fi.CapMulticast),
			Options: mcastOptions, Run: runMulticast},
		{Name: "rdm_tagged_peek", Summary: "peek at, claim and discard tagged messages", Caps: caps(fi.CapTagged), OOB: true, Run: runTaggedPeek},
		{Name: "rdm_atomic", Summary: "atomic operations on all data types", Caps: caps(fi.CapMsg | fi.CapAtomic), Options: atomicOptions, Run: runAtomic},
		{Name: "rdm_rma_event", Summary: "a counter notices a remote write", Caps: caps(fi.CapMsg | fi.CapRMA | fi.CapRMAEvent), Run: runRMAEvent},
		{Name: "rdm_rma_trigger", Summary: "a write that begins when another one has completed", Caps: caps(fi.CapMsg | fi.CapRMA | fi.CapRMAEvent | fi.CapTrigger), Run: runRMATrigger},
		{Name: "rdm_deferred_wq", Summary: "operations that begin when a counter has reached a value", Caps: deferredCaps, Options: deferredOptions, Run: runDeferredWQ},
		{Name: "rdm_shared_av", Summary: "processes that read the address vector of another one", Caps: caps(fi.CapMsg | fi.CapSharedAV), Run: runSharedAV},
		{Name: "inject_test", Summary: "buffers given back early by inject and inject complete", Caps: caps(fi.CapTagged), Options: injectOptions, Run: runInject},
		{Name: "multi_recv", Summary: "one buffer for many messages", Caps: caps(fi.CapMsg | fi.CapMultiRecv), OOB: true, Options: multiRecvOptions, Run: runMultiRecv},
		{Name: "unexpected_msg", Summary: "messages that come before their receives", Caps: unexpectedCaps, OOB: true,
			Options: unexpectedOptions, Run: runUnexpected},
		{Name: "recv_cancel", Summary: "a posted receive is cancelled", Caps: caps(fi.CapTagged), Run: runRecvCancel},
		{Name: "cq_data", Summary: "remote CQ data: -o senddata or writedata", Caps: cqDataCaps, Hints: cqDataHints, Ops: []string{"senddata", "writedata"}, Run: runCQData},
		{Name: "av_xfer", Summary: "messages while addresses are removed and inserted again", Caps: avCaps, OOB: true, Run: runAVTransfer},
		{Name: "multi_mr", Summary: "writes to many regions, counted by each", Caps: caps(fi.CapMsg | fi.CapRMA | fi.CapRMAEvent), Options: multiMROptions, Run: runMultiMR},
		{Name: "flood", Summary: "a window of messages before their receives, each from a region of its own", Caps: caps(fi.CapMsg), Options: floodOptions, Run: runFlood},
		{Name: "multi_ep", Summary: "several endpoints of a domain at a time, their queues shared or not", Caps: caps(fi.CapMsg | fi.CapRMA), OOB: true,
			Options: multiEPOptions, Run: runMultiEP},
		{Name: "rdm_multi_client", Summary: "a server whose clients come and go", Caps: caps(fi.CapMsg), Options: multiClientOptions, Run: runMultiClient},
		{Name: "rdm_multi_domain", Summary: "several domains in a process write to each other", Caps: caps(fi.CapMsg | fi.CapRMA | fi.CapRMAEvent),
			Options: multiDomainOptions, Run: runMultiDomain},
		{Name: "resmgmt_test", Summary: "queues that are too short for what is posted lose nothing", Caps: resmgmtCaps, Options: resmgmtOptions, Run: runResmgmt},
		{Name: "unmap_mem", Summary: "messages from memory that is mapped for each", Caps: caps(fi.CapMsg), OOB: true, Options: unmapOptions, Run: runUnmap},
	}
	for i := range list {
		list[i].Sides = scenario.Pair
	}
	list = append(list, scenario.Scenario{Name: "loopback", Sides: scenario.Alone, Summary: "an endpoint greets itself",
		Caps: caps(fi.CapMsg | fi.CapTagged), Run: runLoopback})
	for i := range list {
		list[i].Kind = scenario.Functional
	}
	return list
}
