// Package interop has only tests: those of provider tcp against C libfabric, the real thing.
//
// They build a peer of C, testdata/*.c, against an installed libfabric (Debian: libfabric-dev, gcc), and have it and
// endpoints of ours talk over the loopback: every operation in both directions, both roles of every handshake, races of
// two that connect at once, restarts. Without compiler or library they are skipped with a reason; where CI_INTEROP=1 is
// set that is a failure. Run them alone by
//
//	go test ./providers/tcp/interop
//
// Besides, fi_pingpong runs with our fabtests as the other side, by tcp and by udp, and so do the programs of C fabtests when FABTESTS_C names
// folders that hold them.
//
// The peer is driven by lines: see testdata/main.c. Its providers are net (native RDM endpoints in 1.16 and 1.17; later
// releases call it tcp) and tcp (MSG endpoints).
package interop
