/* Windows: one line is the life of one. */
#include "peer.h"

enum { ALLOCATE, CREATE, SHARED, DYNAMIC };
enum { FENCE, PSCW, EXCLUSIVE, SHARE, FLUSH, FLUSH_ALL };
enum { PUT, ACCUMULATE, GET_ACCUMULATE, FETCH_AND_OP, COMPARE_AND_SWAP, RPUT, RACCUMULATE };

static MPI_Win w;
static MPI_Group members;
static int sync_kind, rank, size;

static void begin(void)
{
	switch (sync_kind) {
	case FENCE: MPI_Win_fence(MPI_MODE_NOPRECEDE, w); break;
	case PSCW: MPI_Win_post(members, 0, w); MPI_Win_start(members, 0, w); break;
	case FLUSH: case FLUSH_ALL: MPI_Win_lock_all(0, w); break;
	}
}

static void end(MPI_Comm c)
{
	switch (sync_kind) {
	case FENCE: MPI_Win_fence(MPI_MODE_NOSUCCEED, w); break;
	case PSCW: MPI_Win_complete(w); MPI_Win_wait(w); break;
	case FLUSH_ALL: MPI_Win_flush_all(w); MPI_Win_unlock_all(w); break;
	case FLUSH: MPI_Win_unlock_all(w); break;
	}
	MPI_Barrier(c);
}

static void before(int target)
{
	if (sync_kind == EXCLUSIVE || sync_kind == SHARE)
		MPI_Win_lock(sync_kind == SHARE ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, target, 0, w);
}

static void after(int target)
{
	if (sync_kind == EXCLUSIVE || sync_kind == SHARE)
		MPI_Win_unlock(target, w);
	else if (sync_kind == FLUSH)
		MPI_Win_flush(target, w);
}

struct access {
	int target, at, count;
	char *send, *old;
};

static void do_access(struct access *a, int mode, int type, int op, MPI_Aint there)
{
	MPI_Datatype t = type_of(type);
	MPI_Request r = MPI_REQUEST_NULL;
	size_t e = extent(type);
	char *expected = a->send + 2 * e;
	int n = a->count;

	switch (mode) {
	case PUT: MPI_Put(a->send, n, t, a->target, there, n, t, w); break;
	case ACCUMULATE: MPI_Accumulate(a->send, n, t, a->target, there, n, t, op_of(op), w); break;
	case GET_ACCUMULATE: MPI_Get_accumulate(a->send, n, t, a->old, n, t, a->target, there, n, t, op_of(op), w); break;
	case FETCH_AND_OP: MPI_Fetch_and_op(a->send, a->old, t, a->target, there, op_of(op), w); break;
	case COMPARE_AND_SWAP:	/* the first finds what it expects, the second does not */
		set_one(expected, type, op, a->target, 1, a->at);
		MPI_Compare_and_swap(a->send, expected, a->old, t, a->target, there, w);
		MPI_Compare_and_swap(a->send + e, expected, a->old + e, t, a->target, there, w);
		break;
	case RPUT: MPI_Rput(a->send, n, t, a->target, there, n, t, w, &r); break;
	case RACCUMULATE: MPI_Raccumulate(a->send, n, t, a->target, there, n, t, op_of(op), w, &r); break;
	}
	MPI_Wait(&r, MPI_STATUS_IGNORE);
}

/* The sum of what was there before depends on no order when all add the same. */
static void ones(char *p, int type, int n)
{
	for (int k = 0; k < n; k++)
		switch (type) {
		case I32: ((int32_t *)p)[k] = 1; break;
		case I64: ((int64_t *)p)[k] = 1; break;
		case F32: ((float *)p)[k] = 1; break;
		case F64: ((double *)p)[k] = 1; break;
		}
}

static void show(MPI_Comm c, const char *memory, int type, int length)
{
	MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, w);
	fprintf(out, "%d window: %016llx\n", step, (unsigned long long)digest(memory, type, length));
	MPI_Win_unlock(rank, w);
	MPI_Barrier(c);
}

void window(MPI_Comm c)
{
	int kind = number(), type, length, mode, op, n, next, adds;
	size_t e;
	MPI_Aint *bases;
	char *memory = 0, *own = 0, *got;
	struct access *all;
	int64_t sum = 0;

	sync_kind = number();
	type = number();
	length = number();
	mode = number();
	op = number();
	n = number();
	e = extent(type);
	adds = mode == GET_ACCUMULATE || mode == FETCH_AND_OP;
	MPI_Comm_size(c, &size);
	MPI_Comm_rank(c, &rank);
	MPI_Comm_group(c, &members);
	bases = calloc(size, sizeof *bases);
	switch (kind) {
	case ALLOCATE: MPI_Win_allocate(length * e, e, MPI_INFO_NULL, c, &memory, &w); break;
	case SHARED: MPI_Win_allocate_shared(length * e, e, MPI_INFO_NULL, c, &memory, &w); break;
	case CREATE:
		own = memory = calloc(length + 1, e);
		MPI_Win_create(memory, length * e, e, MPI_INFO_NULL, c, &w);
		break;
	case DYNAMIC:
		own = memory = calloc(length + 1, e);
		MPI_Win_create_dynamic(MPI_INFO_NULL, c, &w);
		MPI_Win_attach(w, memory, length * e);
		MPI_Get_address(memory, &bases[rank]);
		MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, bases, 1, MPI_AINT, c);
		break;
	}
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, w);
	for (int i = 0; i < length; i++)
		set_one(memory + i * e, type, op, rank, 1, i);
	MPI_Win_unlock(rank, w);
	MPI_Barrier(c);

	all = calloc(n, sizeof *all);
	begin();
	for (int i = 0; i < n; i++) {
		struct access *a = &all[i];
		int origin = number() % size;

		a->target = number() % size;
		a->at = number();
		a->count = number();
		if (origin != rank)
			continue;
		a->send = filled(type, op, rank, 2 + i % 60, a->count + 2);
		a->old = filled(type, op, rank, 63, a->count + 2);
		if (adds)
			ones(a->send, type, a->count);
		before(a->target);
		do_access(a, mode, type, op, kind == DYNAMIC ? bases[a->target] + (MPI_Aint)(a->at * e) : a->at);
		after(a->target);
	}
	end(c);
	for (int i = 0; i < n; i++) {
		struct access *a = &all[i];

		if (a->send && adds)
			for (int k = 0; k < a->count; k++)
				sum += integer(a->old + k * e, type);
		if (a->send && mode == COMPARE_AND_SWAP)
			fprintf(out, "%d swap %d: %016llx\n", step, i, (unsigned long long)digest(a->old, type, 2));
		free(a->send);
		free(a->old);
	}
	free(all);
	if (adds) {
		MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT64_T, MPI_SUM, c);
		fprintf(out, "%d before: %lld\n", step, (long long)sum);
	}
	show(c, memory, type, length);

	next = (rank + 1) % size;
	got = filled(type, op, rank, 63, length);
	begin();
	before(next);
	MPI_Get(got, length, type_of(type), next, kind == DYNAMIC ? bases[next] : 0, length, type_of(type), w);
	after(next);
	end(c);
	fprintf(out, "%d got: %016llx\n", step, (unsigned long long)digest(got, type, length));
	free(got);
	if (kind == DYNAMIC)
		MPI_Win_detach(w, memory);
	MPI_Win_free(&w);
	MPI_Group_free(&members);
	free(bases);
	free(own);
}
