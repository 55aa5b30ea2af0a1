// Package fabric is what applications use: it finds ways to reach peers and moves messages, remote memory accesses and
// atomics over them, with libfabric's model and without cgo.
//
//	GetInfo ─► Info ─► Open ─► Fabric ─► Domain ─► Endpoint, CQ, Counter, AV, MR
//	                              └────► EQ, PassiveEndpoint
//
// [GetInfo] lists what matches some hints; [Open] and Fabric.OpenDomain open the network and the device. In the domain
// one opens queues ([CQ]), counters ([Counter]), an address vector ([AV]) and endpoints, binds the former to the latter,
// enables the endpoint and sends:
//
//	infos, err := fabric.GetInfo(ctx, &fi.Hints{Caps: fi.CapMsg, EP: &fi.EPAttr{Type: fi.EPRDM}})
//	f, err := fabric.Open(infos[0])
//	d, err := f.OpenDomain(infos[0])
//	q, err := d.OpenCQ(nil)
//	av, err := d.OpenAV(nil)
//	ep, err := d.OpenEndpoint(infos[0])
//	err = ep.BindCQ(q, fi.BindTransmit|fi.BindRecv)
//	err = ep.BindAV(av)
//	err = ep.Enable()
//	err = ep.Send(buf, peer, &done) // peer is what av.Insert gave
//	n, err := q.SRead(ctx, entries)
//
// Endpoints of type FI_EP_MSG are connected to one peer each instead of using a vector: a [PassiveEndpoint] listens,
// [Endpoint.Connect] asks, [Endpoint.Accept] answers, and what happens comes to an event queue ([EQ]).
//
// Providers are linked in by importing them: _ "github.com/gofabric/gofabric/providers/all".
//
// # Names
//
// A C call is found by dropping fi_ and the object: fi_tsenddata is Endpoint.TSendData, fi_cq_sread is CQ.SRead.
//
// # Concurrency
//
// All methods are safe for concurrent use, unless the domain was opened with a looser threading model: with
// fi.ThreadDomain the application serialises all calls on objects of a domain, with fi.ThreadCompletion those on objects
// that share a queue or counter.
//
// # Buffers
//
// A buffer that was handed to an operation belongs to it until its completion; that of an inject call only until the
// call returns. The context of an operation is any value and comes back with the completion; pass a pointer, since other
// values cost an allocation.
//
// # Errors
//
// Data calls return bare fi.Errno values. Compare fi.ErrAgain with == in loops (it costs nothing); use errors.Is
// elsewhere. [Endpoint.Explain] and [CQ.Explain] give the words. Control calls return *fi.Error, which says what failed,
// why, and what to do next.
//
// # Logging
//
// Nothing is written unless somebody asks: the program with [WithLogger] or [WithSlog], or its user with FI_LOG_LEVEL
// (warn, trace, info, debug), FI_LOG_PROV, FI_LOG_SUBSYS and FI_LOG_LOCATION. Both may be set; each gets the lines.
//
// The package reads those variables and FI_PROVIDER.
package fabric
