// Package multinode is the fabtests program of more than two processes that all talk to each other: ranks, which find each
// other by a rank server (the first of them), and patterns of messages or writes among them.
//
// Every rank runs the same function with an Env of its own.
package multinode
