package main

import "github.com/gofabric/gofabric/internal/cli"

var examples = []cli.Example{
	{Line: "mpirun -n 2 mpibench latency", Text: "time of a message, one way"},
	{Line: "mpirun -n 4 mpibench allreduce -m 8:1048576 -f", Text: "a collective, from 8 bytes to 1 MiB"},
	{Line: "mpirun -n 2 mpibench put_latency -s flush", Text: "a write into a window"},
}

var manual = []cli.Part{
	{Title: "Description", Text: `Every rank of a job runs mpibench; rank 0 prints. Names, titles and columns are those of the OSU micro-benchmarks, so that what reads theirs reads these; a name may begin with ` + "`osu_`" + `. Times are microseconds, of latencies one way; bandwidths are 10^6 bytes a second. "mpibench list" shows all benchmarks.

Point-to-point benchmarks use rank 0 and rank 1, those of several pairs the lower half of the ranks with the upper half; collective ones use all. For figures that can be repeated bind the ranks: ` + "`mpirun -bind-to core`" + `.`},
	{Title: "Exit status", Text: `- ` + "`0`" + `: measured
- ` + "`1`" + `: an operation failed, or with ` + "`-c`" + ` something else arrived than was sent
- ` + "`2`" + `: a wrong command line`},
}
