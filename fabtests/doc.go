// Fabtests measures and checks what is below: libfabric's fabtests in one program.
//
//	fabtests demo                          both sides of every provider here, side by side
//	fabtests rdm_pingpong --local          a server and a client on this machine
//	fabtests rdm_pingpong                  the server …
//	fabtests rdm_pingpong SERVER           … and the client, on two machines
//
// Scenarios have the names of libfabric's programs, with or without fi_, their options, output and exit status; see
// fabtests help.
package main
