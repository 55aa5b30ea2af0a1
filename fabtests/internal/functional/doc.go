// Package functional holds the fabtests programs that check what an endpoint does, a file each. They print what
// libfabric's programs print, and follow their sequence of messages, so that one side may be a C program.
//
// Both sides run the same function with an Env of their own.
package functional
