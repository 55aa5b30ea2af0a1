/* Opening endpoints, and the events of connections. */
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fid_ep *ep, *srx;
struct fid_cq *cq;
struct fid_eq *eq;
struct fid_domain *domain;
struct fid_av *av;
struct fid_pep *pep;

static struct fid_fabric *fabric;
static struct fi_info *info, *request;

static void get_info(const char *prov, const char *addr, const char *port, int mr_mode, enum fi_ep_type type, int shared)
{
	struct fi_info *h = fi_allocinfo();

	h->caps = FI_MSG | FI_RMA;
	if (type == FI_EP_RDM)
		h->caps |= FI_TAGGED | FI_MULTI_RECV | FI_SOURCE | FI_DIRECTED_RECV;
	if (shared) {
		h->caps |= FI_TAGGED;
		h->ep_attr->rx_ctx_cnt = FI_SHARED_CONTEXT;
	}
	h->mode = FI_CONTEXT | FI_CONTEXT2;
	h->addr_format = addr && strchr(addr, ':') ? FI_SOCKADDR_IN6 : FI_SOCKADDR_IN;
	h->ep_attr->type = type;
	h->domain_attr->mr_mode = mr_mode;
	h->domain_attr->threading = FI_THREAD_SAFE;
	h->fabric_attr->prov_name = strdup(prov);
	must("fi_getinfo", fi_getinfo(FI_VERSION(1, 17), addr, port, FI_SOURCE, h, &info));
	fi_freeinfo(h);
	must("fi_fabric", fi_fabric(info->fabric_attr, &fabric, NULL));
	must("fi_domain", fi_domain(fabric, info, &domain, NULL));
	struct fi_cq_attr a = { .format = FI_CQ_FORMAT_TAGGED, .wait_obj = FI_WAIT_NONE, .size = 4096 };
	must("fi_cq_open", fi_cq_open(domain, &a, &cq, NULL));
}

void open_rdm(const char *prov, const char *addr, const char *port, int mr_mode)
{
	struct fi_av_attr a = { .type = FI_AV_TABLE };

	get_info(prov, addr, port, mr_mode, FI_EP_RDM, 0);
	must("fi_av_open", fi_av_open(domain, &a, &av, NULL));
	must("fi_endpoint", fi_endpoint(domain, info, &ep, NULL));
	must("fi_ep_bind cq", fi_ep_bind(ep, &cq->fid, FI_TRANSMIT | FI_RECV));
	must("fi_ep_bind av", fi_ep_bind(ep, &av->fid, 0));
	must("fi_enable", fi_enable(ep));
}

void open_msg(const char *prov, const char *addr, const char *port, int mr_mode, int shared)
{
	struct fi_eq_attr a = { .wait_obj = FI_WAIT_NONE };

	get_info(prov, addr, port, mr_mode, FI_EP_MSG, shared);
	must("fi_eq_open", fi_eq_open(fabric, &a, &eq, NULL));
	if (shared)
		must("fi_srx_context", fi_srx_context(domain, info->rx_attr, &srx, NULL));
	must("fi_passive_ep", fi_passive_ep(fabric, info, &pep, NULL));
	must("fi_pep_bind", fi_pep_bind(pep, &eq->fid, 0));
	must("fi_listen", fi_listen(pep));
}

static void open_endpoint(struct fi_info *i)
{
	if (ep)
		must("fi_close", fi_close(&ep->fid));
	ep = NULL;
	must("fi_endpoint", fi_endpoint(domain, i, &ep, NULL));
	must("fi_ep_bind cq", fi_ep_bind(ep, &cq->fid, FI_TRANSMIT | FI_RECV));
	must("fi_ep_bind eq", fi_ep_bind(ep, &eq->fid, 0));
	if (srx)
		must("fi_ep_bind srx", fi_ep_bind(ep, &srx->fid, 0));
	must("fi_enable", fi_enable(ep));
}

void take_request(void)
{
	open_endpoint(request);
	say("taken");
}

void accept_request(const struct command *c)
{
	unsigned char data[512];
	size_t n = unhex(c->hex, data, sizeof data);

	must("fi_accept", fi_accept(ep, data, n));
	say("accepting");
}

void reject_request(const struct command *c)
{
	unsigned char data[512];
	size_t n = unhex(c->hex, data, sizeof data);

	must("fi_reject", fi_reject(pep, request->handle, data, n));
	say("rejecting");
}

void connect_to(const struct command *c)
{
	unsigned char raw[64], data[512];
	char *comma = c->hex ? strchr(c->hex, ',') : NULL;
	size_t n = comma ? unhex(comma + 1, data, sizeof data) : 0;
	struct fi_info *i = fi_dupinfo(info);

	size_t len = unhex(c->hex, raw, sizeof raw);
	free(i->src_addr); /* the listener has that port */
	i->src_addr = NULL;
	i->src_addrlen = 0;
	i->dest_addr = memcpy(malloc(len), raw, len);
	i->dest_addrlen = len;
	open_endpoint(i);
	long rc = fi_connect(ep, raw, n ? data : NULL, n);
	if (rc)
		say("refused connect %ld", -rc);
	else
		say("connecting");
	fi_freeinfo(i);
}

void poll_events(void)
{
	static union {
		struct fi_eq_cm_entry e;
		char room[sizeof(struct fi_eq_cm_entry) + 1024];
	} u;
	uint32_t event;

	if (!eq)
		return;
	ssize_t n = fi_eq_read(eq, &event, &u, sizeof u, 0);
	if (n == -FI_EAGAIN)
		return;
	if (n == -FI_EAVAIL) {
		struct fi_eq_err_entry bad = { 0 };
		if (fi_eq_readerr(eq, &bad, 0) < 0)
			return;
		printf("event error %d ", bad.err);
		say_hex("data", bad.err_data, bad.err_data ? bad.err_data_size : 0);
		return;
	}
	must("fi_eq_read", n);
	n -= sizeof u.e;
	switch (event) {
	case FI_CONNREQ:
		if (request)
			fi_freeinfo(request);
		request = u.e.info;
		say_hex("event connreq", u.e.data, n);
		break;
	case FI_CONNECTED:
		say_hex("event connected", u.e.data, n > 0 ? n : 0);
		break;
	case FI_SHUTDOWN:
		say("event shutdown -");
		break;
	default:
		say("event other %u", event);
	}
}
