// Get fetches pages over shared memory, or another fabric with -net: a net/http client that dials by fabnet. It is the
// other half of the example in the folder above.
package main
