// Package unit holds the fabtests programs of one process that check the calls of one object: getinfo, address vectors,
// queues, counters, memory regions, domains. They print what libfabric's programs print.
package unit
