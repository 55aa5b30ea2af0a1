// Command fi_info shows which fabrics, domains and endpoints this machine offers, and why others are missing. It is
// libfabric's tool of that name: options, output and exit codes are the same, so that scripts go on working.
//
//	fi_info                                   all entries, six lines each
//	fi_info -v -p shm                         everything about the entries of one provider
//	fi_info -p shm -c "FI_RMA | FI_ATOMIC"    what has these capabilities
//	fi_info --explain -p verbs                why something does not match
//	fi_info --doctor                          what to mend on this machine
//	fi_info -e                                environment variables
//
// Beyond libfabric it has --json, --explain, --doctor, --dedup, completion for shells (fi_info completion bash) and its
// manual (fi_info man). The table in options.go is the one place that options come from.
//
// Differences from libfabric's fi_info: -h ends with status 0; -d and -f are honoured by every provider; -e writes no
// null bytes; a failure says why.
package main
