// Package pattern fills buffers with the data that fabtests programs send with -v, and checks it: the digits, the small
// and the capital letters, over and over from the first byte of each buffer.
//
// Both functions may be called by several goroutines; neither keeps the buffer.
package pattern
