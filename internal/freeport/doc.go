// Package freeport finds ports for servers that tools and tests start on this machine, where a server has to be told its
// port before it runs; who can should bind port 0 instead. Its function may be called at any time by any number of
// goroutines, and keeps nothing.
package freeport
