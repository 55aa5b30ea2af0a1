/* Usage: peer rdm|msg|msg-shared PROVIDER ADDRESS PORT offset|virtual
 *
 * Commands, with words NAME=VALUE behind the verb and the number:
 *   name                                           our address
 *   insert hex=                                    a peer's, into the address vector
 *   recv, trecv N len= seed= [tag= ignore= to= min= flags=m]
 *   send, tsend N to= len= seed= [tag= data= flags=dtciv]
 *   write, read N to= len= seed= addr= key= [addr2= key2= cut= data= flags=dtcv]
 *   mr N len= seed= key= access=rw; check N off= len= seed=; closemr N
 *   cancel N
 *   connect hex= data after a comma; take; accept hex=; reject hex=; shutdown
 *   quit
 */
#define _GNU_SOURCE

#include "peer.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
}

void say_hex(const char *what, const void *p, size_t n)
{
	const unsigned char *b = p;

	printf("%s ", what);
	for (size_t i = 0; i < n; i++)
		printf("%02x", b[i]);
	putchar('\n');
	fflush(stdout);
}

size_t unhex(const char *hex, void *out, size_t most)
{
	unsigned char *b = out;
	size_t n = 0;
	unsigned v;

	while (hex && n < most && sscanf(hex + 2 * n, "%2x", &v) == 1)
		b[n++] = v;
	return n;
}

void must(const char *what, long rc)
{
	if (rc >= 0)
		return;
	say("fatal %s %ld %s", what, -rc, fi_strerror(-rc));
	exit(1);
}

static uint64_t number(const char *s) { return strtoull(s, NULL, 0); }

static int parse(char *line, struct command *c)
{
	char *save, *word = strtok_r(line, " ", &save);

	memset(c, 0, sizeof *c);
	c->to = FI_ADDR_UNSPEC;
	c->flags = "";
	if (!word)
		return 0;
	c->verb = word;
	while ((word = strtok_r(NULL, " ", &save))) {
		char *value = strchr(word, '=');
		if (!value) {
			c->id = strtol(word, NULL, 0);
			continue;
		}
		*value++ = 0;
		if (!strcmp(word, "len")) c->len = number(value);
		else if (!strcmp(word, "seed")) c->seed = number(value);
		else if (!strcmp(word, "to")) c->to = number(value);
		else if (!strcmp(word, "tag")) c->tag = number(value);
		else if (!strcmp(word, "ignore")) c->ignore = number(value);
		else if (!strcmp(word, "data")) c->data = number(value);
		else if (!strcmp(word, "addr")) c->addr = number(value);
		else if (!strcmp(word, "key")) c->key = number(value);
		else if (!strcmp(word, "addr2")) c->addr2 = number(value);
		else if (!strcmp(word, "key2")) c->key2 = number(value);
		else if (!strcmp(word, "cut")) c->cut = number(value);
		else if (!strcmp(word, "off")) c->off = number(value);
		else if (!strcmp(word, "min")) c->min = number(value);
		else if (!strcmp(word, "flags")) c->flags = value;
		else if (!strcmp(word, "hex")) c->hex = value;
		else if (!strcmp(word, "access"))
			c->access = (strchr(value, 'r') ? FI_REMOTE_READ : 0) | (strchr(value, 'w') ? FI_REMOTE_WRITE : 0);
		else say("fatal word %s", word), exit(1);
	}
	return 1;
}

static void tell_name(void)
{
	unsigned char raw[64];
	size_t n = sizeof raw;

	must("fi_getname", fi_getname(pep ? &pep->fid : &ep->fid, raw, &n));
	say_hex("name", raw, n);
}

static void insert(const struct command *c)
{
	unsigned char raw[64];
	fi_addr_t a;

	unhex(c->hex, raw, sizeof raw);
	must("fi_av_insert", fi_av_insert(av, raw, 1, &a, 0, NULL) == 1 ? 0 : -FI_EINVAL);
	say("addr %llu", (unsigned long long)a);
}

static int run(char *line)
{
	struct command c;

	if (!parse(line, &c))
		return 1;
	if (!strcmp(c.verb, "quit")) return 0;
	if (!strcmp(c.verb, "name")) tell_name();
	else if (!strcmp(c.verb, "insert")) insert(&c);
	else if (!strcmp(c.verb, "mr")) register_region(&c);
	else if (!strcmp(c.verb, "check")) check_region(&c);
	else if (!strcmp(c.verb, "closemr")) close_region(&c);
	else if (!strcmp(c.verb, "cancel")) cancel(&c);
	else if (!strcmp(c.verb, "connect")) connect_to(&c);
	else if (!strcmp(c.verb, "take")) take_request();
	else if (!strcmp(c.verb, "accept")) accept_request(&c);
	else if (!strcmp(c.verb, "reject")) reject_request(&c);
	else if (!strcmp(c.verb, "shutdown")) must("fi_shutdown", fi_shutdown(ep, 0)), say("down");
	else post(&c);
	return 1;
}

int main(int argc, char **argv)
{
	static char in[1 << 16];
	size_t have = 0;

	if (argc != 6)
		return 2;
	alarm(120); /* whatever happens to the test, we do not stay */
	int mode = !strcmp(argv[5], "virtual") ? FI_MR_BASIC : 0;
	if (!strcmp(argv[1], "rdm"))
		open_rdm(argv[2], argv[3], argv[4], mode);
	else
		open_msg(argv[2], argv[3], argv[4], mode, !strcmp(argv[1], "msg-shared"));
	say("ready %d", (int)getpid());
	for (;;) {
		poll_completions();
		poll_events();
		struct pollfd p = { .fd = 0, .events = POLLIN };
		/* The provider may need our calls to go on: look often while something may be under way. */
		struct timespec rest = { .tv_nsec = busy() ? 0 : regions() ? 50000 : 1000000 };
		if (ppoll(&p, 1, &rest, NULL) <= 0)
			continue;
		ssize_t n = read(0, in + have, sizeof in - have - 1);
		if (n <= 0)
			return 0;
		have += n;
		char *line = in, *end;
		while ((end = memchr(line, '\n', have - (line - in)))) {
			*end = 0;
			if (!run(line))
				return 0;
			line = end + 1;
		}
		have -= line - in;
		memmove(in, line, have);
	}
}
