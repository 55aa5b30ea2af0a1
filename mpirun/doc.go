// Command mpirun starts the processes of a parallel job, on this host and on others, hands them PMI-1, and ends all of
// them when one fails. MPICH's programs run under it as this module's do.
//
//	mpirun -n 4 ./prog                        four processes here
//	go run ./mpirun -n 2 ./mpibench latency   builds the Go package once, then starts two processes
//	mpirun -hostfile hosts -n 16 ./prog       on the hosts of a file, by ssh
//	mpirun -n 1 ./server : -n 8 ./client      two programs, one job
//
// On each host one process of this binary, the agent, starts the ranks and serves them PMI (package pmi/server); it talks
// to mpirun through its standard input and output, that is through the ssh connection. No port is open anywhere. An agent
// answers with the one-time token that mpirun sent it before anything that it says counts. When mpirun dies, however it
// dies, its agents see the end of their input and end the ranks.
//
// Files: options.go and words.go read the command line, hosts.go and place.go say who runs where, program.go builds Go
// packages; launch.go is the job, remote.go one host of it, agent.go the other end; frames.go is what they say to each
// other; output.go keeps the lines of many ranks apart.
package main
