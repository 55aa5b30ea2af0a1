/* Point to point. */
#include "peer.h"

struct message {
	int src, dst, tag, count, mode, how;
	void *send, *recv;
};

enum { STANDARD, BUFFERED, SYNCHRONOUS, READY };
enum { EXACT, ANY_SOURCE, ANY_TAG, PROBE, MPROBE, LONGER, PROBE_ANY };

static void got(const struct message *m, int i, int type, const MPI_Status *st)
{
	int n;

	MPI_Get_count(st, type_of(type), &n);
	fprintf(out, "%d message %d from %d tag %d: %d %016llx\n", step, i, st->MPI_SOURCE, st->MPI_TAG, n, (unsigned long long)digest(m->recv, type, n));
}

static int source(const struct message *m)
{
	return m->how == ANY_SOURCE || m->how == PROBE_ANY ? MPI_ANY_SOURCE : m->src;
}

static int tag(const struct message *m)
{
	return m->how == ANY_TAG ? MPI_ANY_TAG : m->tag;
}

static int room(const struct message *m)
{
	return m->how == LONGER ? m->count + 100 : m->count;
}

static void receive(MPI_Comm c, struct message *m, int i, int type)
{
	MPI_Status st;
	MPI_Message taken;
	int n;

	switch (m->how) {
	case PROBE:
	case PROBE_ANY:
		MPI_Probe(source(m), tag(m), c, &st);
		MPI_Get_count(&st, type_of(type), &n);
		fprintf(out, "%d probe %d from %d tag %d: %d\n", step, i, st.MPI_SOURCE, st.MPI_TAG, n);
		MPI_Recv(m->recv, n, type_of(type), st.MPI_SOURCE, st.MPI_TAG, c, &st);
		break;
	case MPROBE:
		MPI_Mprobe(source(m), tag(m), c, &taken, &st);
		MPI_Get_count(&st, type_of(type), &n);
		MPI_Mrecv(m->recv, n, type_of(type), &taken, &st);
		break;
	default:
		MPI_Recv(m->recv, room(m), type_of(type), source(m), tag(m), c, &st);
	}
	got(m, i, type, &st);
}

static void send(MPI_Comm c, const struct message *m, int type)
{
	switch (m->mode) {
	case BUFFERED: MPI_Bsend(m->send, m->count, type_of(type), m->dst, m->tag, c); break;
	case SYNCHRONOUS: MPI_Ssend(m->send, m->count, type_of(type), m->dst, m->tag, c); break;
	default: MPI_Send(m->send, m->count, type_of(type), m->dst, m->tag, c);
	}
}

static void begin(MPI_Comm c, const struct message *m, int type, MPI_Request *r)
{
	switch (m->mode) {
	case BUFFERED: MPI_Ibsend(m->send, m->count, type_of(type), m->dst, m->tag, c, r); break;
	case SYNCHRONOUS: MPI_Issend(m->send, m->count, type_of(type), m->dst, m->tag, c, r); break;
	case READY: MPI_Irsend(m->send, m->count, type_of(type), m->dst, m->tag, c, r); break;
	default: MPI_Isend(m->send, m->count, type_of(type), m->dst, m->tag, c, r);
	}
}

void messages(MPI_Comm c)
{
	int type = number(), one_by_one = number(), n, size, rank, sends = 0;
	struct message *all;
	MPI_Request *rs, *ss;
	MPI_Status *st;

	number();		/* how to wait: the Go side has more ways */
	n = number();
	MPI_Comm_size(c, &size);
	MPI_Comm_rank(c, &rank);
	all = calloc(n, sizeof *all);
	rs = calloc(n, sizeof *rs);
	ss = calloc(n, sizeof *ss);
	st = calloc(n, sizeof *st);
	for (int i = 0; i < n; i++) {
		struct message *m = &all[i];

		m->src = number() % size;
		m->dst = number() % size;
		m->tag = number();
		m->count = number();
		m->mode = number();
		m->how = number();
		rs[i] = ss[i] = MPI_REQUEST_NULL;
		if (all[i].src == rank)
			all[i].send = filled(type, PLAIN, me, i % 64, all[i].count);
		if (all[i].dst == rank)
			all[i].recv = filled(type, PLAIN, me, 63, room(&all[i]));
	}
	if (one_by_one) {
		for (int i = 0; i < n; i++) {
			struct message *m = &all[i];

			if (m->src == rank && m->dst == rank) {
				begin(c, m, type, &ss[i]);
				receive(c, m, i, type);
				MPI_Wait(&ss[i], MPI_STATUS_IGNORE);
			} else if (m->src == rank) {
				send(c, m, type);
			} else if (m->dst == rank) {
				receive(c, m, i, type);
			}
		}
	} else {
		for (int i = 0; i < n; i++)
			if (all[i].dst == rank)
				MPI_Irecv(all[i].recv, room(&all[i]), type_of(type), source(&all[i]), tag(&all[i]), c, &rs[i]);
		MPI_Barrier(c);
		for (int i = 0; i < n; i++)
			if (all[i].src == rank)
				begin(c, &all[i], type, &ss[sends++]);
		MPI_Waitall(n, rs, st);
		MPI_Waitall(sends, ss, MPI_STATUSES_IGNORE);
		for (int i = 0; i < n; i++)
			if (all[i].dst == rank)
				got(&all[i], i, type, &st[i]);
	}
	for (int i = 0; i < n; i++) {
		free(all[i].send);
		free(all[i].recv);
	}
	free(all);
	free(rs);
	free(ss);
	free(st);
}

void persistent(MPI_Comm c)
{
	int type = number(), count = number(), rounds = number(), shift = number(), mode = number(), size, rank;
	MPI_Request r[2];
	void *send, *recv;

	MPI_Comm_size(c, &size);
	MPI_Comm_rank(c, &rank);
	send = filled(type, PLAIN, me, 0, count);
	recv = filled(type, PLAIN, me, 63, count);
	if (mode == SYNCHRONOUS)
		MPI_Ssend_init(send, count, type_of(type), (rank + shift) % size, 7, c, &r[0]);
	else
		MPI_Send_init(send, count, type_of(type), (rank + shift) % size, 7, c, &r[0]);
	MPI_Recv_init(recv, count, type_of(type), (rank + size - shift % size) % size, 7, c, &r[1]);
	for (int k = 0; k < rounds; k++) {
		for (int i = 0; i < count; i++)
			set_one((char *)send + i * extent(type), type, PLAIN, me, k, i);
		MPI_Startall(2, r);
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
		fprintf(out, "%d round %d: %016llx\n", step, k, (unsigned long long)digest(recv, type, count));
	}
	MPI_Request_free(&r[0]);
	MPI_Request_free(&r[1]);
	free(send);
	free(recv);
}

void exchange(MPI_Comm c)
{
	int type = number(), count = number(), shift = number(), replace = number(), size, rank, to, from, n;
	MPI_Status st;
	void *send, *recv;

	MPI_Comm_size(c, &size);
	MPI_Comm_rank(c, &rank);
	to = (rank + shift) % size;
	from = (rank + size - shift % size) % size;
	send = filled(type, PLAIN, me, 0, count);
	recv = filled(type, PLAIN, me, 63, count);
	if (replace)
		MPI_Sendrecv_replace(send, count, type_of(type), to, 3, from, 3, c, &st);
	else
		MPI_Sendrecv(send, count, type_of(type), to, 3, recv, count, type_of(type), from, MPI_ANY_TAG, c, &st);
	MPI_Get_count(&st, type_of(type), &n);
	fprintf(out, "%d exchange from %d tag %d: %d %016llx\n", step, st.MPI_SOURCE, st.MPI_TAG, n, (unsigned long long)digest(replace ? send : recv, type, n));
	free(send);
	free(recv);
}

/* All send to one, which receives from anybody: what it gets is added up. */
void flood(MPI_Comm c)
{
	int type = number(), n = number(), most = number(), root = number(), size, rank;
	MPI_Request *rs = calloc(n, sizeof *rs);
	void **sends = calloc(n, sizeof *sends);

	MPI_Comm_size(c, &size);
	MPI_Comm_rank(c, &rank);
	root %= size;
	for (int i = 0; i < n; i++) {
		int count = mix(step * 4096 + i * 64 + rank) % (most + 1);

		sends[i] = filled(type, PLAIN, me, i % 64, count);
		MPI_Isend(sends[i], count, type_of(type), root, i, c, &rs[i]);
	}
	if (rank == root) {
		void *recv = filled(type, PLAIN, me, 63, most);
		uint64_t sum = 0;

		for (int i = 0; i < n * size; i++) {
			MPI_Status st;
			int got;

			MPI_Recv(recv, most, type_of(type), MPI_ANY_SOURCE, MPI_ANY_TAG, c, &st);
			MPI_Get_count(&st, type_of(type), &got);
			sum += digest(recv, type, got) ^ mix(st.MPI_SOURCE * 65536 + st.MPI_TAG);
		}
		fprintf(out, "%d flood: %016llx\n", step, (unsigned long long)sum);
		free(recv);
	}
	MPI_Waitall(n, rs, MPI_STATUSES_IGNORE);
	MPI_Barrier(c);		/* what comes then must not be taken for a part of it */
	for (int i = 0; i < n; i++)
		free(sends[i]);
	free(sends);
	free(rs);
}
