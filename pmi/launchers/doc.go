// Package launchers holds tests of package pmi and mpirun with other people's launchers and programs: MPICH's mpiexec.hydra,
// Slurm, Open MPI's mpirun, and an MPICH program in C and a true ssh under our own mpirun. They need those installed, and for Slurm, sshd and
// network namespaces the rights of root; a flag asks for them:
//
//	go test ./pmi/launchers -args -launchers
//
// Slurm runs with a configuration, keys and ports of its own below a temporary folder, beside any other.
package launchers
