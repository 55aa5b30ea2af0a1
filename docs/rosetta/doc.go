// Rosetta writes docs/rosetta.md: for every call, type and constant of libfabric ours. It reads the doc comments of the
// public packages, which name their C counterparts, and names.txt, which lists the calls that must be in the table: each
// has a counterpart or a reason why not.
//
//	go generate ./docs
//
// A comment names its counterparts in parentheses, "(fi_cq_read, and fi_cq_readfrom: Src is filled)", a constant at the
// start of its comment, "FI_MSG: messages". References to manual pages, fi_cq(3), are no counterparts.
package main
