// Package cfabtests knows the programs of C fabtests as they lie in a folder: which version of libfabric they belong to,
// what the provider of a kind of endpoint is called there, which of them can be the other side of ours, and when one can be
// reached.
//
//	p, err := cfabtests.Find("/usr/local/bin")
//	ok, err := cfabtests.Listening("tcp", 9228)
//
// It runs fi_info and nothing else. All functions may be called by several goroutines.
package cfabtests
