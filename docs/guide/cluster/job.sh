#!/bin/sh
#SBATCH --job-name=ring
#SBATCH --ntasks=4
#SBATCH --time=00:10:00
# sbatch job.sh ./ring: runs the program in every task of the job.
exec srun --mpi=pmi2 "$@"
