/* mpi_runner/transport/link.c - one peer: what goes out, what came in, is it
 * alive */
#include "mpi_runner/transport/link.h"

static const int64_t away_ns = 300000000; /* between two looks: it was away */

void osw_link_open(struct osw_link *link, struct osw_transport *transport,
                   int peer, int64_t now_ns)
{
    *link = (struct osw_link){.transport = transport,
                              .peer = peer,
                              .heard_ns = now_ns,
                              .sent_ns = now_ns};
}

void osw_link_close(struct osw_link *link)
{
    osw_outbox_free(&link->out);
    osw_inbox_free(&link->in);
}

int osw_link_post(struct osw_link *link, const struct osw_msg *msg,
                  struct osw_error *err)
{
    return osw_msg_post(&link->out, msg, err);
}

int osw_link_flush(struct osw_link *link, bool all, int64_t now_ns,
                   struct osw_error *err)
{
    struct osw_transport *t = link->transport;
    unsigned char frame[OSW_FRAME_MAX];

    while (osw_outbox_waiting(&link->out) >= (all ? 1 : OSW_FRAME_MAX)) {
        size_t n = osw_outbox_peek(&link->out, frame);
        int rc = t->ops->send(t, link->peer, frame, n, err);

        if (rc <= 0)
            return rc;
        osw_outbox_advance(&link->out);
        link->sent_ns = now_ns;
    }
    return 0;
}

bool osw_link_was_away(int64_t gap_ns)
{
    return gap_ns > away_ns;
}

void osw_link_look(struct osw_link *link, int64_t gap_ns)
{
    if (osw_link_was_away(gap_ns))
        link->heard_ns += gap_ns;
}

int osw_link_heartbeat(struct osw_link *link, uint32_t n_waiting,
                       int64_t period_ns, int64_t now_ns, struct osw_error *err)
{
    struct osw_msg heartbeat = {.type = OSW_MSG_HEARTBEAT,
                                .u.heartbeat = {.n_waiting = n_waiting}};

    if (now_ns - link->sent_ns < period_ns)
        return 0;
    link->sent_ns = now_ns; /* tried: the queue may be full */
    if (osw_outbox_waiting(&link->out) == 0 &&
        osw_link_post(link, &heartbeat, err) < 0)
        return -1;
    return osw_link_flush(link, true, now_ns, err);
}
