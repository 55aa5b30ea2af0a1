/* The other side of the interoperability tests: a program on C libfabric that does what its input says, a command a line,
 * and tells what comes of it. See main.c for the commands. */
#ifndef PEER_H
#define PEER_H

#include <stddef.h>
#include <stdint.h>

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>

/* One operation, or one region: what a command's number names. */
struct op {
	struct fi_context2 context; /* first: libfabric gives it back */
	long id;
	unsigned char *buf;
	size_t len;
	unsigned seed;  /* of the pattern that was sent, or is expected */
	int incoming;   /* a receive or a read: its data is checked */
	int multi;      /* a buffer for many messages: seed grows by one with each */
	int done;       /* of a multi buffer: messages so far */
	struct fid_mr *mr;
	struct op *next;
};

/* The words of a command. */
struct command {
	char *verb;
	long id;
	size_t len, cut;
	unsigned seed;
	uint64_t to, tag, ignore, data, addr, key, addr2, key2, access, off, min;
	char *flags; /* letters: d delivery complete, t transmit complete, c with data, i inject, v vectors, m multi-receive */
	char *hex;
};

/* open.c */
extern struct fid_ep *ep, *srx;
extern struct fid_cq *cq;
extern struct fid_eq *eq;
extern struct fid_domain *domain;
extern struct fid_av *av;
extern struct fid_pep *pep;
void open_rdm(const char *prov, const char *addr, const char *port, int mr_mode);
void open_msg(const char *prov, const char *addr, const char *port, int mr_mode, int shared);
void take_request(void);
void reject_request(const struct command *c);
void accept_request(const struct command *c);
void connect_to(const struct command *c);
void poll_events(void);

/* ops.c */
void post(const struct command *c);
void poll_completions(void);
int busy(void);
int regions(void);
void register_region(const struct command *c);
void check_region(const struct command *c);
void close_region(const struct command *c);
void cancel(const struct command *c);

/* main.c */
void must(const char *what, long rc);
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void say_hex(const char *what, const void *p, size_t n);
size_t unhex(const char *hex, void *out, size_t most);

#endif
