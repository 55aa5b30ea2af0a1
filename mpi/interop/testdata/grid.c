/* Cartesian topologies. */
#include "peer.h"

void grid(MPI_Comm c)
{
	int n = number(), periodic = number(), count = number(), size, rank, around = 2 * n, doubled = 0;
	int dims[3] = {0}, wraps[3], at[3];
	MPI_Datatype t = MPI_INT32_T;
	MPI_Comm g;
	void *mine, *recv;

	MPI_Comm_size(c, &size);
	MPI_Dims_create(size, n, dims);
	for (int i = 0; i < n; i++) {
		wraps[i] = periodic >> i & 1;
		doubled |= wraps[i] && dims[i] < 3;
	}
	MPI_Cart_create(c, n, dims, wraps, 0, &g);
	MPI_Comm_rank(g, &rank);
	MPI_Cart_coords(g, rank, n, at);
	for (int i = 0; i < n; i++) {
		int from, to;

		MPI_Cart_shift(g, i, 1, &from, &to);
		fprintf(out, "%d dimension %d: %d of %d, from %d to %d\n", step, i, at[i], dims[i],
			from == MPI_PROC_NULL ? -1 : from, to == MPI_PROC_NULL ? -1 : to);
	}
	mine = filled(I32, PLAIN, me, 1, count * around);
	recv = filled(I32, PLAIN, me, 2, count * around);
	MPI_Neighbor_allgather(mine, count, t, recv, count, t, g);
	fprintf(out, "%d gathered: %016llx\n", step, (unsigned long long)digest(recv, I32, count * around));
	if (!doubled) {		/* which of two messages of one neighbour is for which side, not all agree on */
		MPI_Neighbor_alltoall(mine, count, t, recv, count, t, g);
		fprintf(out, "%d exchanged: %016llx\n", step, (unsigned long long)digest(recv, I32, count * around));
	}
	free(mine);
	free(recv);
	MPI_Comm_free(&g);
}
