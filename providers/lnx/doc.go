// Package lnx is a provider that stands on others: one endpoint (FI_EP_RDM) reaches each peer by the best of several links,
// processes of the same host by shm and all others by tcp. An application that runs on one host and on many, an MPI library
// for one, has one endpoint, one address vector and one completion queue for all of its peers:
//
//	FI_PROVIDER=lnx ./program
//
// Nothing is copied or queued twice: the endpoints of the links write completions into the application's queue, and match
// messages with receives in one receive context, so that a receive from any source takes the message that was found first,
// whichever way it came. A message costs what it costs with its link, and some nanoseconds.
//
// # Links
//
// FI_LNX_PROV_LINKS lists what is linked, "shm+tcp" when it is not set; "shm+tcp:eth0" has tcp on one interface, and
// several sets, each an entry of GetInfo, stand with | between them. A provider can be a link when its fabrics are
// [driver.PartOpener]s. What an endpoint can do is what all of its links can do.
//
// # Addresses
//
// An address (FI_ADDR_STR) names the host and the peer's address on each link: fi_lnx://1/HOST/shm=HEX/tcp=HEX. HOST is made
// of the boot id, the network namespace and the user id, or of what FI_LNX_HOST says, so that one machine can stand for
// several. A peer with our HOST is reached by shm, if it can be connected with; else by the other link.
//
// # Concurrency
//
// Links share one lock and one engine. While shm delivers, or did so a moment ago, the sockets of tcp are looked at every
// 20 us; otherwise by every poll.
//
// # Environment
//
// FI_LNX_PROV_LINKS, FI_LNX_HOST, FI_LNX_DISABLE_SHM, FI_LNX_UNEXPECTED, FI_LNX_LINGER, and the variables of the providers that are linked.
package lnx
