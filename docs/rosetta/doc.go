// Rosetta writes docs/rosetta.md: for every call, type and constant of libfabric ours. It reads the doc comments of the
// public packages, which name their C counterparts, and compares them with what libfabric 2.6's headers for applications
// have: names.txt lists the calls, headers.txt the types and constants, fields.txt the fields of structures. Each has a
// counterpart or a reason why not, in names.txt, reasons.txt and fields.txt.
//
//	go generate ./docs
//
// A comment names its counterparts in parentheses, "(fi_cq_read, and fi_cq_readfrom: Src is filled)", a constant at the
// start of its comment, "FI_MSG: messages". References to manual pages, fi_cq(3), are no counterparts, nor are beginnings
// of names, FI_EP_.
package main
