/* Latency and bandwidth of an MPI library between two processes, for "fabtests perf": the exchanges of
 * rdm_tagged_pingpong, rdm_tagged_bw and rma_bw --one-way.
 *
 *	mpirun -np 2 mpi latency|bandwidth|put CPU0 CPU1 SIZE:COUNT ...
 *
 * Rank 1 is the client, which measures; a processor of -1 leaves the rank where it is. For each size it prints
 *
 *	S size count microseconds-a-message microseconds-of-processor-time-a-message
 *	L size nanoseconds ...
 *
 * L, the time of each single message, comes from a pass of its own, so that reading the clock does not disturb S.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { WINDOW = 64, ACK = 4 };

static int rank;
static char *out, *in;
static MPI_Win win;

static double processor_time(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_utime.tv_sec * 1e6 + u.ru_utime.tv_usec + u.ru_stime.tv_sec * 1e6 + u.ru_stime.tv_usec;
}

static void bind(int cpu)
{
	cpu_set_t set;

	if (cpu < 0)
		return;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof set, &set); /* a machine that cannot pin measures unpinned */
}

static void send(int n) { MPI_Send(out, n, MPI_CHAR, !rank, 1, MPI_COMM_WORLD); }

static void receive(int n) { MPI_Recv(in, n, MPI_CHAR, !rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

/* One message there and one back. */
static void round_trip(int size)
{
	if (rank == 1) {
		send(size);
		receive(size);
	} else {
		receive(size);
		send(size);
	}
}

/* n messages from the client, and a short one back. */
static void window(int size, int n)
{
	MPI_Request all[WINDOW];
	int i;

	for (i = 0; i < n; i++)
		if (rank == 1)
			MPI_Isend(out, size, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &all[i]);
		else
			MPI_Irecv(in, size, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &all[i]);
	MPI_Waitall(n, all, MPI_STATUSES_IGNORE);
	if (rank == 1)
		receive(ACK);
	else
		send(ACK);
}

/* n writes into the server's memory, which have arrived there at the end. */
static void put(int size, int n)
{
	int i;

	if (rank == 0)
		return;
	for (i = 0; i < n; i++)
		MPI_Put(out, size, MPI_CHAR, 0, 0, size, MPI_CHAR, win);
	MPI_Win_flush(0, win);
}

static void repeat(const char *test, int size, int count)
{
	int n;

	if (!strcmp(test, "latency")) {
		for (n = 0; n < count; n++)
			round_trip(size);
		return;
	}
	for (; count > 0; count -= n) {
		n = count < WINDOW ? count : WINDOW;
		if (!strcmp(test, "put"))
			put(size, n);
		else
			window(size, n);
	}
}

static void measure(const char *test, int size, int count)
{
	int latency = !strcmp(test, "latency"), warmup = count < 100 ? 10 : count / 10, n;
	double began, took, used, *each;

	MPI_Barrier(MPI_COMM_WORLD);
	repeat(test, size, warmup);
	used = processor_time();
	began = MPI_Wtime();
	repeat(test, size, count);
	took = (MPI_Wtime() - began) * 1e6;
	used = processor_time() - used;
	MPI_Barrier(MPI_COMM_WORLD);
	n = latency ? 2 * count : count;
	if (rank == 1)
		printf("S %d %d %.6f %.6f\n", size, count, took / n, used / n);
	if (!latency)
		return;
	each = malloc(count * sizeof *each);
	if (!each)
		MPI_Abort(MPI_COMM_WORLD, 12);
	repeat(test, size, warmup);
	for (n = 0; n < count; n++) {
		began = MPI_Wtime();
		round_trip(size);
		each[n] = MPI_Wtime() - began;
	}
	if (rank == 1) {
		printf("L %d", size);
		for (n = 0; n < count; n++)
			printf(" %.0f", each[n] * 1e9 / 2);
		printf("\n");
	}
	free(each);
}

int main(int argc, char **argv)
{
	int i, size, count, largest = ACK;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (argc < 5) {
		fprintf(stderr, "usage: mpirun -np 2 %s latency|bandwidth|put CPU0 CPU1 SIZE:COUNT ...\n", argv[0]);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	bind(atoi(argv[2 + rank]));
	for (i = 4; i < argc; i++)
		if (sscanf(argv[i], "%d:%d", &size, &count) == 2 && size > largest)
			largest = size;
	out = malloc(largest);
	in = malloc(largest);
	if (!out || !in)
		MPI_Abort(MPI_COMM_WORLD, 12);
	memset(out, 1, largest);
	memset(in, 2, largest);
	if (!strcmp(argv[1], "put")) {
		char *target;

		MPI_Win_allocate(largest, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &target, &win);
		memset(target, 3, largest);
		MPI_Win_lock_all(0, win);
	}
	for (i = 4; i < argc; i++)
		if (sscanf(argv[i], "%d:%d", &size, &count) == 2)
			measure(argv[1], size, count);
	fflush(stdout);
	if (!strcmp(argv[1], "put")) {
		MPI_Win_unlock_all(win);
		MPI_Win_free(&win);
	}
	MPI_Finalize();
	return 0;
}
