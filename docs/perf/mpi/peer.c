/* Rows of mpibench suite, for other MPIs: ping-pong, streams, windows, barrier and allreduce, one line each.
 * Output: name bytes ranks value unit */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, nranks;

static void row(const char *name, long bytes, double v, const char *unit)
{
    if (rank == 0)
        printf("%s %ld %d %.3f %s\n", name, bytes, nranks, v, unit);
}

static int reps_for(long bytes)
{
    if (bytes <= 1024) return 20000;
    if (bytes <= 8192) return 10000;
    if (bytes <= 65536) return 3000;
    if (bytes <= (1 << 20)) return 400;
    return 100;
}

static void pingpong(char *buf, long bytes)
{
    int reps = reps_for(bytes);
    double t = 0;
    for (int i = -reps / 10; i < reps; i++) {
        if (i == 0) { MPI_Barrier(MPI_COMM_WORLD); t = MPI_Wtime(); }
        if (rank == 0) {
            MPI_Send(buf, (int)bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
            MPI_Recv(buf, (int)bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == 1) {
            MPI_Recv(buf, (int)bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(buf, (int)bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
        }
    }
    t = (MPI_Wtime() - t) / reps / 2;
    row("latency", bytes, t * 1e6, "us");
}

/* Windowed one-way stream, 64 messages in flight, one ack a window. */
static void stream(char *buf, long bytes)
{
    enum { W = 64 };
    MPI_Request rq[W];
    int windows = reps_for(bytes) / 20 + 2;
    char ack = 0;
    double t = 0;
    for (int i = -1; i < windows; i++) {
        if (i == 0) { MPI_Barrier(MPI_COMM_WORLD); t = MPI_Wtime(); }
        if (rank == 0) {
            for (int k = 0; k < W; k++)
                MPI_Isend(buf, (int)bytes, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &rq[k]);
            MPI_Waitall(W, rq, MPI_STATUSES_IGNORE);
            MPI_Recv(&ack, 1, MPI_BYTE, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == 1) {
            for (int k = 0; k < W; k++)
                MPI_Irecv(buf, (int)bytes, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &rq[k]);
            MPI_Waitall(W, rq, MPI_STATUSES_IGNORE);
            MPI_Send(&ack, 1, MPI_BYTE, 0, 3, MPI_COMM_WORLD);
        }
    }
    t = MPI_Wtime() - t;
    row("stream", bytes, (double)bytes * W * windows / t / 1e6, "MB/s");
    row("msgrate", bytes, (double)W * windows / t / 1e6, "Mmsg/s");
}

static void allreduce(long bytes)
{
    int n = (int)(bytes / 8);
    double *a = calloc(n, 8), *b = calloc(n, 8);
    int reps = bytes <= 1024 ? 2000 : 60;
    if (nranks > 2) reps /= 4;
    double t = 0;
    for (int i = -2; i < reps; i++) {
        if (i == 0) { MPI_Barrier(MPI_COMM_WORLD); t = MPI_Wtime(); }
        MPI_Allreduce(a, b, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    row("allreduce", bytes, (MPI_Wtime() - t) / reps * 1e6, "us");
    free(a); free(b);
}

static void barrier(void)
{
    int reps = nranks > 2 ? 300 : 5000;
    MPI_Barrier(MPI_COMM_WORLD);
    double t = MPI_Wtime();
    for (int i = 0; i < reps; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    row("barrier", 0, (MPI_Wtime() - t) / reps * 1e6, "us");
}

static void rma(void)
{
    char *base, src[4096];
    memset(src, 1, sizeof src);
    MPI_Win win;
    MPI_Win_allocate(65536, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    long sizes[] = {8, 4096};
    double t = 0;
    for (int s = 0; s < 2; s++) {
        int reps = 5000;
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) {
            for (int i = -10; i < reps; i++) {
                if (i == 0) t = MPI_Wtime();
                MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
                MPI_Put(src, (int)sizes[s], MPI_BYTE, 1, 0, (int)sizes[s], MPI_BYTE, win);
                MPI_Win_unlock(1, win);
            }
            t = (MPI_Wtime() - t) / reps;
        }
        MPI_Barrier(MPI_COMM_WORLD);
        row("lock-put-unlock", sizes[s], t * 1e6, "us");

        if (rank == 0) {
            MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
            for (int i = -10; i < reps; i++) {
                if (i == 0) t = MPI_Wtime();
                MPI_Put(src, (int)sizes[s], MPI_BYTE, 1, 0, (int)sizes[s], MPI_BYTE, win);
                MPI_Win_flush(1, win);
            }
            t = (MPI_Wtime() - t) / reps;
            MPI_Win_unlock(1, win);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        row("put-flush", sizes[s], t * 1e6, "us");

        MPI_Win_fence(0, win);
        reps = 2000;
        for (int i = -10; i < reps; i++) {
            if (i == 0) t = MPI_Wtime();
            if (rank == 0)
                MPI_Put(src, (int)sizes[s], MPI_BYTE, 1, 0, (int)sizes[s], MPI_BYTE, win);
            MPI_Win_fence(0, win);
        }
        t = (MPI_Wtime() - t) / reps;
        MPI_Barrier(MPI_COMM_WORLD);
        row("put-fence", sizes[s], t * 1e6, "us");
    }
    long one = 1, old = 0, cmp = 0;
    if (rank == 0) {
        int reps = 5000;
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
        for (int i = -10; i < reps; i++) {
            if (i == 0) t = MPI_Wtime();
            MPI_Fetch_and_op(&one, &old, MPI_LONG, 1, 0, MPI_SUM, win);
            MPI_Win_flush(1, win);
        }
        row("fetch-and-op", 8, (MPI_Wtime() - t) / reps * 1e6, "us");
        /* Open MPI 4.1.4 crashes here on one node, so it can be left out. */
        if (!getenv("BENCH_NO_CAS")) {
            for (int i = -10; i < reps; i++) {
                if (i == 0) t = MPI_Wtime();
                MPI_Compare_and_swap(&one, &cmp, &old, MPI_LONG, 1, 0, win);
                MPI_Win_flush(1, win);
            }
            row("compare-and-swap", 8, (MPI_Wtime() - t) / reps * 1e6, "us");
        }
        MPI_Win_unlock(1, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    if (nranks == 2) {
        long sizes[] = {1, 8, 64, 1024, 8192, 65536, 1 << 20, 4 << 20};
        char *buf = calloc(1, 4 << 20);
        for (int i = 0; i < 8; i++) pingpong(buf, sizes[i]);
        for (int i = 0; i < 8; i++) stream(buf, sizes[i]);
        free(buf);
        rma();
    }
    barrier();
    allreduce(8);
    allreduce(1 << 20);
    MPI_Finalize();
    return 0;
}
