// Package bench holds the benchmarks of fabtests, a file each: ping-pongs, streams, RMA.
//
// Both sides run the same function with an Env of their own; rows go to the Env's Reporter. The loops allocate nothing
// and look at the clock only before and after, unless --percentiles wants the time of each message, or of each window of a
// stream.
package bench
