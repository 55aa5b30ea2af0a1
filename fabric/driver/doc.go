// Package driver is what a provider implements and what it builds on. Applications do not import it: they use package
// fabric.
//
// A provider is a [Provider]; it opens [Fabric]s, those open [Domain]s, and those open [Endpoint]s. Enabling an endpoint
// yields its [Ops], the table of operation groups that package fabric calls. A group that is not offered stays nil and is
// replaced by stubs that return fi.ErrNoSys.
//
// A fabric with connections is a [PassiveOpener]; its passive endpoints ([PassiveEndpoint]) and endpoints ([Connector])
// report to [Events].
//
// What every provider needs is here: [Engine] (the lock, the progress and the waiting of a domain), [AV] (addresses),
// [Bindings] (where an endpoint's completions go). Package fabric/driver/rdm is the half of a reliable-datagram endpoint
// that does not depend on how bytes travel: matching, completions, remote access. To it a connected endpoint (FI_EP_MSG)
// is one with a single peer, whose Addr is fi.AddrNotAvail and which needs no address vector.
//
// Optional abilities are interfaces of their own ([Mapper], [Namer]), looked up when an object is opened, never per call.
//
// Endpoints and shared receive contexts that count what they do are an [EndpointCounter] and an [RxCounter]; package rdm
// counts.
//
// A provider whose endpoints may have authorization keys says so by Domain.MaxEPAuthKey of its offers. Package fabric then
// hands it Infos with EP.AuthKey, for which the key of the domain is filled in; endpoints with different keys must not reach
// each other: operations end with fi.ErrAccess, requests for connections, too. A domain that is an [AuthKeyer] serves keys of
// vectors, too: where the Info says Domain.AVAuthKey its endpoints have those of Bindings.Keys, and addresses are [KeyedAddr]s.
//
// A provider that stands on others opens their domains as [Part]s of its own.
//
// What the library itself posts, because a completion or a counter says that its time has come, are [Work]s at endpoints
// that are an [Issuer]: their completions are calls ([OpNotify], [Notified]), and what follows from these is left to
// [Engine.Later] and [Engine.Issue].
//
// # Concurrency
//
// Methods of Ops may be called from any number of goroutines and take the domain's lock themselves, by the domain's
// Engine; its kind follows the domain's threading. Control calls are serialised by package fabric for each object.
package driver
