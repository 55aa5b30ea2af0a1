// Package cpingpong is the ping-pong that libfabric ships beside fabtests, fi_pingpong: one side may be the C program.
//
//	fi_pingpong -p tcp -e msg -B 47592              # C, the server
//	fabtests pingpong -p tcp -e msg localhost       # ours, the client
//
// The two sides talk over a TCP connection of their own besides, the control channel: the server's address goes to the
// client, and the client's to the server for endpoints without connections. Each is a length and a format of four bytes,
// the first in network order, the second in that of the machine, and the raw address. Before each size the client sends
// "q" and gets "a", after it the number of its messages in ten bytes and gets "cnt ok"; strings end in a zero byte. In the
// end both send "fin" over the fabric, and wait until it has arrived.
//
// Everything of one run is in the scenario's Env.
package cpingpong
