// Package figures holds scenarios that are not libfabric's: the floors that a machine sets (a cache line handed over, a
// plain copy), and properties of the library that benchmarks do not show: matching among many receives, an empty read of a
// queue, idle processor time and wake-up, many processes on few processors, memory for each pair.
//
// docs/perf says how the figures of the project are measured with them.
package figures
