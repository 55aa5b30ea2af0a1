// Package multinode is the fabtests programs of more than two processes that all talk to each other: ranks, which find each
// other by a rank server (the first of them), and patterns of messages or writes, or collectives, among them.
//
// Every rank runs the same function with an Env of its own.
package multinode
