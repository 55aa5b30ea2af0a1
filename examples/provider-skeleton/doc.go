// Package skeleton is where a provider of your own begins: copy the folder, give it another name, and make the list of
// what is missing shorter.
//
//	cp -r examples/provider-skeleton ~/src/myprovider
//	cd ~/src/myprovider
//	go mod init example.com/myprovider
//	go mod tidy
//	go test -v .
//
// The test runs the conformance suite and lists what the provider lacks: with -v each case by its name, and what went
// wrong in it. The cases that fail, and the abilities that no Info has, are in missing.txt. What you have added must leave
// it (go test -update writes it); when it is empty, replace the test by conformance.Run, and your provider is one like
// those of the module.
//
// What is here moves messages between endpoints of one process, and nothing else: no tagged messages, no remote memory,
// no message forms, no connections. Package fabric/driver/rdm does the half that does not depend on how bytes travel:
// matching, completions, counters. What you write is how an [endpoint] reaches a peer (send.go), and, when bytes come from
// outside, a driver.Source that the domain's engine polls (domain.go).
//
// Files are named as in every provider: provider.go finds and opens, domain.go and endpoint.go are the objects, send.go is
// the way of a message.
package skeleton
