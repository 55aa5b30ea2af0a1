/* Collective operations, and communicators. */
#include "peer.h"

enum {
	BARRIER, BCAST, GATHER, SCATTER, ALLGATHER, ALLTOALL, REDUCE, ALLREDUCE, REDUCE_SCATTER_BLOCK, REDUCE_SCATTER, SCAN, EXSCAN,
	GATHERV, SCATTERV, ALLGATHERV, ALLTOALLV,
};

static int count, stride, modulus;

static int counted(int x)
{
	return modulus ? (count + x * stride) % modulus : count;
}

/* Numbers of elements of each member, where they begin, and how many there are in all. */
static int layout(int n[], int at[], int size, int row, int times)
{
	int sum = 0;

	for (int i = 0; i < size; i++) {
		n[i] = counted(row + i * times);
		at[i] = sum;
		sum += n[i];
	}
	return sum;
}

void collective(MPI_Comm c)
{
	int kind = number(), type, op, root, in_place, size, rank, sn = 0, rn = 0, on = 0, place = 0;
	int n[64], at[64], m[64], to[64];
	MPI_Datatype t;
	MPI_Op o;
	char *mine, *recv;
	void *send;

	number();		/* the form: results do not depend on it */
	type = number();
	op = number();
	count = number();
	stride = number();
	modulus = number();
	root = number();
	in_place = number();
	MPI_Comm_size(c, &size);
	MPI_Comm_rank(c, &rank);
	root %= size;
	t = type_of(type);
	o = op_of(op);
	/* sn elements to send, rn to receive; of these the first on are the result. In place, the own part is at place. */
	switch (kind) {
	case BARRIER:
		MPI_Barrier(c);
		return;
	case BCAST:
		mine = filled(type, op, me, 1, count);
		MPI_Bcast(mine, count, t, root, c);
		fprintf(out, "%d collective: %016llx\n", step, (unsigned long long)digest(mine, type, count));
		free(mine);
		return;
	case GATHER: sn = count, rn = rank == root ? count * size : 0, on = rn, place = rank * count, in_place &= rank == root; break;
	case SCATTER: sn = rank == root ? count * size : 0, rn = count, in_place &= rank == root, on = in_place ? 0 : rn; break;
	case ALLGATHER: sn = count, on = rn = count * size, place = rank * count; break;
	case ALLTOALL: sn = on = rn = count * size; break;
	case REDUCE: sn = rn = count, on = rank == root ? rn : 0, in_place &= rank == root; break;
	case ALLREDUCE: case SCAN: sn = on = rn = count; break;
	case EXSCAN: sn = rn = count, on = rank ? rn : 0; break;
	case REDUCE_SCATTER_BLOCK: sn = count * size, on = count, rn = in_place ? sn : on; break;
	case REDUCE_SCATTER: sn = layout(n, at, size, 0, 1), on = n[rank], rn = in_place ? sn : on; break;
	case GATHERV: on = rn = layout(n, at, size, 0, 1), sn = n[rank], place = at[rank], in_place &= rank == root; if (rank != root) on = rn = 0; break;
	case SCATTERV: sn = layout(n, at, size, 0, 1), rn = n[rank], in_place &= rank == root, on = in_place ? 0 : rn; if (rank != root) sn = 0; break;
	case ALLGATHERV: on = rn = layout(n, at, size, 0, 1), sn = n[rank], place = at[rank]; break;
	case ALLTOALLV:	/* what i sends to j, j expects of i */
		sn = layout(n, at, size, in_place ? rank : rank * 3, 1);
		on = rn = layout(m, to, size, rank, in_place ? 1 : 3);
		break;
	}
	mine = filled(type, op, me, 1, sn);
	recv = filled(type, op, me, 2, rn);
	send = mine;
	if (in_place) {
		send = MPI_IN_PLACE;
		if (kind != SCATTER && kind != SCATTERV)
			memcpy(recv + place * extent(type), mine, sn * extent(type));
	}
	switch (kind) {
	case GATHER: MPI_Gather(send, count, t, recv, count, t, root, c); break;
	case SCATTER: MPI_Scatter(mine, count, t, in_place ? MPI_IN_PLACE : recv, count, t, root, c); break;
	case ALLGATHER: MPI_Allgather(send, count, t, recv, count, t, c); break;
	case ALLTOALL: MPI_Alltoall(send, count, t, recv, count, t, c); break;
	case REDUCE: MPI_Reduce(send, recv, count, t, o, root, c); break;
	case ALLREDUCE: MPI_Allreduce(send, recv, count, t, o, c); break;
	case REDUCE_SCATTER_BLOCK: MPI_Reduce_scatter_block(send, recv, count, t, o, c); break;
	case REDUCE_SCATTER: MPI_Reduce_scatter(send, recv, n, t, o, c); break;
	case SCAN: MPI_Scan(send, recv, count, t, o, c); break;
	case EXSCAN: MPI_Exscan(send, recv, count, t, o, c); break;
	case GATHERV: MPI_Gatherv(send, sn, t, recv, n, at, t, root, c); break;
	case SCATTERV: MPI_Scatterv(mine, n, at, t, in_place ? MPI_IN_PLACE : recv, rn, t, root, c); break;
	case ALLGATHERV: MPI_Allgatherv(send, sn, t, recv, n, at, t, c); break;
	case ALLTOALLV: MPI_Alltoallv(send, n, at, t, recv, m, to, t, c); break;
	}
	fprintf(out, "%d collective: %016llx %016llx\n", step, (unsigned long long)digest(recv, type, on),
		(unsigned long long)digest(mine, type, sn));
	free(mine);
	free(recv);
}

static void tell(MPI_Comm c)
{
	int size, rank;

	if (c == MPI_COMM_NULL) {
		fprintf(out, "%d none\n", step);
		return;
	}
	MPI_Comm_size(c, &size);
	MPI_Comm_rank(c, &rank);
	fprintf(out, "%d rank %d of %d\n", step, rank, size);
}

void duplicate(void)
{
	int new = number(), of = number();

	if (comms[of] != MPI_COMM_NULL) {
		MPI_Comm_dup(comms[of], &comms[new]);
		tell(comms[new]);
	}
}

void split(void)
{
	int new = number(), of = number(), n = number(), rank, color = 0, key = 0;

	if (comms[of] == MPI_COMM_NULL)
		return;
	MPI_Comm_rank(comms[of], &rank);
	for (int i = 0; i < n; i++) {
		int c = number(), k = number();

		if (i == rank % n)
			color = c, key = k;
	}
	MPI_Comm_split(comms[of], color < 0 ? MPI_UNDEFINED : color, key, &comms[new]);
	tell(comms[new]);
}

void part(void)
{
	int of = number();

	if (comms[of] != MPI_COMM_NULL)
		MPI_Comm_free(&comms[of]);
}
