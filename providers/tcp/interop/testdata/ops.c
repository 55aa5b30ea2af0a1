/* Operations: posted as commands say, told when they are done. */
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct op *ops;
static int open_ops;
static int open_regions;
static int came; /* looks without a completion since the last one */

/* The bytes that both sides of the tests agree on. */
static unsigned char pattern(unsigned seed, size_t i) { return (unsigned char)(i * 31 + (i >> 8) + seed * 17); }

static long wrong(const unsigned char *b, size_t n, unsigned seed)
{
	for (size_t i = 0; i < n; i++)
		if (b[i] != pattern(seed, i))
			return (long)i;
	return -1;
}

static struct op *new_op(const struct command *c, int incoming)
{
	struct op *o = calloc(1, sizeof *o);

	o->id = c->id;
	o->len = c->len;
	o->seed = c->seed;
	o->incoming = incoming;
	o->buf = malloc(c->len + 1);
	for (size_t i = 0; i < c->len; i++)
		o->buf[i] = incoming ? 0xEE : pattern(c->seed, i);
	o->next = ops;
	ops = o;
	return o;
}

static void end_op(struct op *o)
{
	for (struct op **p = &ops; *p; p = &(*p)->next)
		if (*p == o) {
			*p = o->next;
			break;
		}
	free(o->buf);
	free(o);
}

static struct op *find(long id)
{
	for (struct op *o = ops; o; o = o->next)
		if (o->id == id)
			return o;
	say("fatal number %ld", id);
	exit(1);
}

int busy(void) { return open_ops > 0 && came < 2000; }

int regions(void) { return open_regions; }

/* Cuts a buffer into up to three pieces. */
static size_t pieces(struct op *o, struct iovec *v, int many)
{
	size_t a = o->len / 3, b = o->len / 2;

	if (!many || o->len < 3) {
		v[0] = (struct iovec){ o->buf, o->len };
		return 1;
	}
	v[0] = (struct iovec){ o->buf, a };
	v[1] = (struct iovec){ o->buf + a, b - a };
	v[2] = (struct iovec){ o->buf + b, o->len - b };
	return 3;
}

static uint64_t op_flags(const struct command *c)
{
	uint64_t f = FI_COMPLETION;

	if (strchr(c->flags, 'd')) f |= FI_DELIVERY_COMPLETE;
	if (strchr(c->flags, 't')) f |= FI_TRANSMIT_COMPLETE;
	if (strchr(c->flags, 'c')) f |= FI_REMOTE_CQ_DATA;
	if (strchr(c->flags, 'm')) f |= FI_MULTI_RECV;
	return f;
}

static ssize_t try_send(const struct command *c, struct op *o)
{
	struct iovec v[3];
	size_t n = pieces(o, v, !!strchr(c->flags, 'v'));
	int data = !!strchr(c->flags, 'c');

	if (c->verb[0] == 't') {
		if (strchr(c->flags, 'i'))
			return data ? fi_tinjectdata(ep, o->buf, o->len, c->data, c->to, c->tag)
				    : fi_tinject(ep, o->buf, o->len, c->to, c->tag);
		if (!c->flags[0])
			return fi_tsend(ep, o->buf, o->len, NULL, c->to, c->tag, o);
		struct fi_msg_tagged m = { .msg_iov = v, .iov_count = n, .addr = c->to, .tag = c->tag, .context = o, .data = c->data };
		return fi_tsendmsg(ep, &m, op_flags(c));
	}
	if (strchr(c->flags, 'i'))
		return data ? fi_injectdata(ep, o->buf, o->len, c->data, c->to) : fi_inject(ep, o->buf, o->len, c->to);
	if (!c->flags[0])
		return fi_send(ep, o->buf, o->len, NULL, c->to, o);
	struct fi_msg m = { .msg_iov = v, .iov_count = n, .addr = c->to, .context = o, .data = c->data };
	return fi_sendmsg(ep, &m, op_flags(c));
}

static ssize_t try_recv(const struct command *c, struct op *o)
{
	struct fid_ep *rx = srx ? srx : ep;
	struct iovec v[3];
	size_t n = pieces(o, v, !!strchr(c->flags, 'v'));

	if (c->verb[0] == 't') {
		struct fi_msg_tagged m = { .msg_iov = v, .iov_count = n, .addr = c->to, .tag = c->tag, .ignore = c->ignore, .context = o };
		return fi_trecvmsg(rx, &m, FI_COMPLETION);
	}
	struct fi_msg m = { .msg_iov = v, .iov_count = n, .addr = c->to, .context = o };
	return fi_recvmsg(rx, &m, op_flags(c));
}

static ssize_t try_access(const struct command *c, struct op *o)
{
	struct iovec v[3];
	size_t n = pieces(o, v, !!strchr(c->flags, 'v'));
	struct fi_rma_iov at[2] = { { c->addr, o->len, c->key } };
	struct fi_msg_rma m = { .msg_iov = v, .iov_count = n, .addr = c->to, .rma_iov = at, .rma_iov_count = 1, .context = o, .data = c->data };

	if (c->cut) {
		at[0].len = c->cut;
		at[1] = (struct fi_rma_iov){ c->addr2, o->len - c->cut, c->key2 };
		m.rma_iov_count = 2;
	}
	if (c->verb[0] == 'r')
		return fi_readmsg(ep, &m, FI_COMPLETION);
	if (strchr(c->flags, 'i'))
		return fi_inject_write(ep, o->buf, o->len, c->to, c->addr, c->key);
	return fi_writemsg(ep, &m, op_flags(c));
}

void post(const struct command *c)
{
	int recv = strstr(c->verb, "recv") != NULL, read = !strcmp(c->verb, "read");
	int send = strstr(c->verb, "send") != NULL, write = !strcmp(c->verb, "write");

	if (!recv && !read && !send && !write) {
		say("fatal verb %s", c->verb);
		exit(1);
	}
	struct op *o = new_op(c, recv || read);
	o->multi = recv && strchr(c->flags, 'm');
	if (o->multi)
		must("fi_setopt", fi_setopt(&ep->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &(size_t){ c->min }, sizeof(size_t)));
	ssize_t rc;
	open_ops++;
	while ((rc = recv ? try_recv(c, o) : send ? try_send(c, o) : try_access(c, o)) == -FI_EAGAIN) {
		poll_completions();
		poll_events();
	}
	came = 0;
	if (rc) {
		open_ops--;
		say("refused %ld %ld %s", o->id, (long)-rc, fi_strerror((int)-rc));
		end_op(o);
	} else if (!recv && !read && strchr(c->flags, 'i')) {
		open_ops--;
		say("posted %ld", o->id);
		end_op(o);
	} else {
		say("posted %ld", o->id);
	}
}

static void completed(struct fi_cq_tagged_entry *e, fi_addr_t src)
{
	struct op *o = e->op_context;
	long bad = -1;

	if (e->flags & FI_REMOTE_WRITE || !o) { /* nothing of ours: data that came with a write */
		say("remote %llx %llx %lld", (unsigned long long)e->flags, (unsigned long long)e->data, (long long)src);
		return;
	}
	if (o->multi) {
		if (e->flags & FI_RECV) {
			bad = wrong(e->buf, e->len, o->seed + o->done);
			say("done %ld %llx %zu %llx %llx %lld %ld %ld", o->id, (unsigned long long)e->flags, e->len, (unsigned long long)e->data,
			    (unsigned long long)e->tag, (long long)src, bad, (long)((unsigned char *)e->buf - o->buf));
			o->done++;
		}
		if (e->flags & FI_MULTI_RECV) {
			say("released %ld %d", o->id, o->done);
			open_ops--;
			end_op(o);
		}
		return;
	}
	size_t n = e->flags & FI_READ ? o->len : e->len;
	if (o->incoming)
		bad = wrong(o->buf, n, o->seed);
	say("done %ld %llx %zu %llx %llx %lld %ld 0", o->id, (unsigned long long)e->flags, n,
	    e->flags & FI_REMOTE_CQ_DATA ? (unsigned long long)e->data : 0ULL, (unsigned long long)e->tag, (long long)src, bad);
	open_ops--;
	end_op(o);
}

void poll_completions(void)
{
	struct fi_cq_tagged_entry e;
	fi_addr_t src = FI_ADDR_NOTAVAIL;

	for (;;) {
		if (!cq)
			return;
		ssize_t n = fi_cq_readfrom(cq, &e, 1, &src);
		if (n == -FI_EAGAIN) {
			came++;
			return;
		}
		came = 0;
		if (n == -FI_EAVAIL) {
			struct fi_cq_err_entry bad = { 0 };
			if (fi_cq_readerr(cq, &bad, 0) != 1)
				return;
			struct op *o = bad.op_context;
			say("failed %ld %d %zu %s", o ? o->id : -1L, bad.err, bad.len, fi_strerror(bad.err));
			if (o && bad.err != FI_ETRUNC) {
				open_ops--;
				end_op(o);
			}
			continue;
		}
		must("fi_cq_readfrom", n);
		completed(&e, src);
	}
}

void register_region(const struct command *c)
{
	struct op *o = new_op(c, 0);

	must("fi_mr_reg", fi_mr_reg(domain, o->buf, o->len, c->access, 0, c->key, 0, &o->mr, NULL));
	open_regions++;
	say("region %ld %llx %llx", o->id, (unsigned long long)fi_mr_key(o->mr), (unsigned long long)(uintptr_t)o->buf);
}

void check_region(const struct command *c)
{
	struct op *o = find(c->id);

	say("checked %ld %ld", c->id, c->off + c->len > o->len ? 0L : wrong(o->buf + c->off, c->len, c->seed));
}

void close_region(const struct command *c)
{
	struct op *o = find(c->id);

	must("fi_close", fi_close(&o->mr->fid));
	open_regions--;
	end_op(o);
	say("closed %ld", c->id);
}

void cancel(const struct command *c)
{
	say("canceled %ld %d", c->id, (int)fi_cancel(srx ? &srx->fid : &ep->fid, find(c->id)));
}
