/* Ranks add up their numbers. "abort": rank 1 ends the job with 9. "forget": rank 1 ends without MPI_Finalize. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
	int rank, size, sum = 0;
	const char *what = argc > 1 ? argv[1] : "";
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	printf("rank %d of %d: sum %d\n", rank, size, sum);
	fflush(stdout);
	if (rank == 1 && strcmp(what, "abort") == 0)
		MPI_Abort(MPI_COMM_WORLD, 9);
	if (rank == 1 && strcmp(what, "forget") == 0)
		_exit(0);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
