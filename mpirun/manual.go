package main

import "github.com/gofabric/gofabric/internal/cli"

var examples = []cli.Example{
	{Line: "mpirun -n 4 ./prog", Text: "four processes on this host"},
	{Line: "go run ./mpirun -n 2 ./mpibench latency", Text: "builds a Go package once, then starts two processes"},
	{Line: "mpirun -hostfile hosts -n 16 ./prog", Text: "on the hosts of a file, by ssh"},
	{Line: "mpirun -n 1 ./server : -n 8 -x COLOR=red ./client", Text: "two programs that are one job"},
	{Line: "mpirun -n 64 -output-dir out -timeout 10m ./prog", Text: "a file of output for each process, and a limit of time"},
	{Line: "mpirun -n 4 -bind-to core -prepend-rank ./prog", Text: "a core for each process, and the rank in front of each line"},
	{Line: "mpirun -hosts a,b -launcher-exec ./enter -n 2 ./prog", Text: "other ways to a host than ssh: containers, namespaces"},
	{Line: "mpirun man | man -l -", Text: "this page, where it is not installed"},
}

var manual = []cli.Part{
	{Title: "DESCRIPTION", Text: `
mpirun starts processes that are one job: each has a rank from 0, knows how many there are, and finds the others by PMI-1,
which package pmi of this module speaks, and every program built with MPICH.

Options stand before the program; what follows it belongs to the program. Long options may have one dash or two. A colon
between two programs makes both parts of one job; ` + "`--np`, `--wdir` and `--export`" + ` hold for the program that they stand
before, all others for the whole job, wherever they stand.

A program that is a folder, a .go file or an import path is built first, once. It then runs on this host only.

Ranks fill the hosts in their order, each with as many as it has slots, and begin again at the first when there are more
ranks. Without hosts all ranks are here. On each host, this one too, an agent starts the ranks: mpirun itself, called through
` + "`--launcher-exec`" + ` or ssh, which has to work without a password, and found at the same path. mpirun and its agents
talk through the input and output of that command; no other way between the hosts is needed, and no port is open. An agent
shows the token that mpirun made for this job before anything that it says counts.

Lines of several ranks are not mixed. A text without a line end is shown when nothing came behind it for a fifth of a second.
Standard input goes to rank 0.`},
	{Title: "THE END OF A JOB", Text: `
The first rank that ends with another status than 0, by a signal, or with status 0 but without having left the job (MPI_Finalize)
ends all others: they get SIGTERM, and SIGKILL a second later. So do the time of ` + "`--timeout`" + ` and the signals SIGINT
(Ctrl-C), SIGTERM, SIGHUP and SIGQUIT; the second signal kills at once. Each rank is the leader of a process group, and what
is left of the group when the rank has ended is killed.

With ` + "`--keep-going`" + ` a failure of a rank is told, and counts for the exit status, but the others go on, and fences do not
wait for the dead. An abort (MPI_Abort) ends the job all the same.

When mpirun is killed its agents end the ranks. When an agent is killed, the system kills its ranks, and mpirun ends the rest.`},
	{Title: "EXIT STATUS", Text: `
- ` + "`0`" + `: every process ended with status 0.
- ` + "`N`" + `: that of the first process that failed, or of the abort.
- ` + "`128+N`" + `: the first process that failed was killed by signal N; or mpirun got signal N itself.
- ` + "`1`" + `: also a process that did not leave the job, or a host that cannot be reached or was lost.
- ` + "`2`" + `: wrong options.
- ` + "`124`" + `: the job took longer than allowed.
- ` + "`126`, `127`" + `: a program cannot be started, or is not there.`},
	{Title: "ENVIRONMENT", Text: `
- ` + "`HYDRA_HOST_FILE`" + `: file of hosts, when no option names hosts.
- ` + "`HYDRA_LAUNCH_EXTRA_ARGS`" + `: words for ssh, in front of the host.

Each process finds PMI_RANK, PMI_SIZE, PMI_FD, MPI_LOCALRANKID and MPI_LOCALNRANKS; where processes cannot inherit sockets,
PMI_PORT, PMI_ID and FI_PMI_TOKEN in place of PMI_FD.`},
	{Title: "SEE ALSO", Text: `
*fabric*(7), *fi_shm*(7), *fi_tcp*(7), *fi_info*(1)`},
}
