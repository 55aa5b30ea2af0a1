package main

import "github.com/gofabric/gofabric/internal/cli"

var examples = []cli.Example{
	{Line: "mpirun -n 2 mpibench latency", Text: "time of a message, one way"},
	{Line: "mpirun -n 4 mpibench allreduce -m 8:1048576 -f", Text: "a collective, from 8 bytes to 1 MiB"},
	{Line: "mpirun -n 2 mpibench put_latency -s flush", Text: "a write into a window"},
	{Line: "mpirun -n 16 -hosts a,b mpibench tune -o table", Text: "algorithms for these hosts, used by MPI_COLL_TABLE=table"},
}

var manual = []cli.Part{
	{Title: "Description", Text: `Every rank of a job runs mpibench; rank 0 prints. Names, titles and columns are those of the OSU micro-benchmarks, so that what reads theirs reads these; a name may begin with ` + "`osu_`" + `. Times are microseconds, of latencies one way; bandwidths are 10^6 bytes a second. "mpibench list" shows all benchmarks.

Point-to-point benchmarks use rank 0 and rank 1, those of several pairs the lower half of the ranks with the upper half; collective ones use all. For figures that can be repeated bind the ranks: ` + "`mpirun -bind-to core`" + `.`},
	{Title: "Tuning", Text: `"mpibench tune" measures every algorithm of every collective operation on the ranks of the job, and on fewer of them, and writes a table of the fastest: from which sizes and for how many members. Run it as the job will be run, on its hosts, and name the file in MPI_COLL_TABLE where every rank can read it; a variable such as ` + "`MPI_ALLREDUCE=ring`" + ` comes before it. It is about operations that go by messages, and these are all between hosts, all that do not block and those that persist: barriers, broadcasts, reductions and allgathers that block use shared memory among ranks of one host.

With the usual sizes and iterations it takes minutes: give ` + "`-i 100`" + ` for a first look, and ` + "`-v`" + ` to see what it does.`},
	{Title: "Exit status", Text: `- ` + "`0`" + `: measured
- ` + "`1`" + `: an operation failed, or with ` + "`-c`" + ` something else arrived than was sent
- ` + "`2`" + `: a wrong command line`},
}
