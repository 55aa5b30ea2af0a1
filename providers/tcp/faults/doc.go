// Package faults tests what tcp does when the network, a peer or the system fails it. It has tests only.
//
// Each test makes two network namespaces for itself and runs a process of the test binary in each, which a test drives
// over pipes. They are joined by a veth pair, or by a wire of the test's own: two TUN devices whose packets the test hands
// over, or loses, delays, reorders. Tests need root and the commands of iproute2 and util-linux; they are skipped elsewhere.
//
// Every work that an agent does is counted: each operation that was accepted must complete exactly once, within the limit
// that the test names, with the right data if with success.
package faults
