// Package fifo has the queue in which providers keep operations and messages that wait for their turn: first in, first
// out, with no allocation in the steady state. A provider needs it where the order of posting must hold and the length is
// not bounded by a table of its own.
//
// A Queue has no lock: the domain's guards it. It keeps what is pushed until that is taken out again.
package fifo
