/* mpi_runner/ranks/rank_relay.c - a worker rank carries what its sandbox sends
 * to ranks of other nodes, and what they send to it */
#include "mpi_runner/ranks/rank_relay.h"

#include <stdlib.h>

#include "common/clock.h"
#include "common/grow.h"
#include "mpi_runner/ranks/relay.h"
#include "mpi_runner/transport/link.h"

enum { MOST_FRAMES = 32 }; /* to a peer, in a row */

struct osw_rank_relay {
    const struct osw_msg_bundle *bundle;
    uint64_t *n_carried;
    struct osw_relay **cells; /* owned; [n_cells] each may be judged further */
    size_t n_cells, size_cells;
    struct osw_link links[OSW_GANG_MAX];
};

struct osw_rank_relay *osw_rank_relay_create(struct osw_transport *t,
                                             const struct osw_msg_bundle *b,
                                             uint64_t *n_carried)
{
    struct osw_rank_relay *r = calloc(1, sizeof(*r));

    if (!r)
        return NULL;
    r->bundle = b;
    r->n_carried = n_carried;
    for (uint32_t i = 0; i < b->size; i++)
        osw_link_open(&r->links[i], t, (int)b->members[i].rank, 0);
    return r;
}

void osw_rank_relay_destroy(struct osw_rank_relay *r)
{
    if (!r)
        return;
    for (uint32_t i = 0; i < r->bundle->size; i++)
        osw_link_close(&r->links[i]);
    for (size_t i = 0; i < r->n_cells; i++) {
        osw_relay_close(r->cells[i]);
        free(r->cells[i]);
    }
    free(r->cells);
    free(r);
}

int osw_rank_relay_next_cell(struct osw_rank_relay *r, int fd,
                             struct osw_error *err)
{
    struct osw_relay *cell = calloc(1, sizeof(*cell));
    struct osw_relay **cells = osw_grow(r->cells, r->n_cells, &r->size_cells,
                                        sizeof(struct osw_relay *));

    if (cells)
        r->cells = cells;
    if (!cell || !cells)
        osw_fail(err, OSW_NO_MEMORY, "no memory for a cell");
    if (!cell || !cells ||
        osw_relay_open(cell, fd, r->bundle->rank, r->bundle->size, err) < 0) {
        free(cell);
        return -1;
    }
    cells[r->n_cells++] = cell;
    return 0;
}

static bool is_elsewhere(const struct osw_msg_bundle *b, uint32_t member)
{
    return b->members[member].leader != b->members[b->rank].leader;
}

/* What was queued is out before more is. */
static int send_to(struct osw_rank_relay *r, uint32_t member, size_t cell,
                   int64_t now_ns, struct osw_error *err)
{
    struct osw_link *link = &r->links[member];
    struct osw_msg m = {.type = OSW_MSG_FLOW};

    for (int i = 0; i < MOST_FRAMES; i++) {
        if (osw_link_flush(link, true, now_ns, err) < 0)
            return -1;
        if (osw_outbox_waiting(&link->out) > 0 ||
            !osw_relay_next(r->cells[cell], member, &m.u.flow))
            return 0;
        m.u.flow.gang = r->bundle->gang;
        m.u.flow.cell = (uint32_t)cell;
        if (osw_link_post(link, &m, err) < 0)
            return -1;
        ++*r->n_carried;
    }
    return osw_link_flush(link, true, now_ns, err);
}

int osw_rank_relay_send(struct osw_rank_relay *r, struct osw_error *err)
{
    const struct osw_msg_bundle *b = r->bundle;
    int64_t now_ns = osw_clock_ns();

    for (uint32_t i = 0; i < b->size; i++)
        for (size_t k = 0; is_elsewhere(b, i) && k < r->n_cells; k++)
            if (send_to(r, i, k, now_ns, err) < 0)
                return osw_error_in(err, "to member %u of the gang", i);
    return 0;
}

static int member_of(const struct osw_msg_bundle *b, int peer)
{
    for (uint32_t i = 0; i < b->size; i++)
        if ((int)b->members[i].rank == peer && is_elsewhere(b, i))
            return (int)i;
    return -1;
}

void osw_rank_relay_receive(struct osw_rank_relay *r, int peer,
                            const void *frame, size_t n)
{
    int member = member_of(r->bundle, peer);
    struct osw_inbox in = OSW_INBOX_INIT;
    struct osw_error err = OSW_ERROR_INIT;
    const void *data;
    uint8_t type;
    size_t len;

    if (member < 0 || osw_inbox_open(&in, frame, n, &err) < 0)
        return;
    while (osw_inbox_next(&in, &type, &data, &len, &err) > 0) {
        struct osw_msg m;

        if (type == OSW_MSG_FLOW &&
            osw_msg_decode(OSW_MSG_TO_WORKER, type, data, len, NULL, &m,
                           &err) == 0 &&
            m.u.flow.gang == r->bundle->gang && m.u.flow.cell < r->n_cells) {
            osw_relay_take(r->cells[m.u.flow.cell], (uint32_t)member,
                           &m.u.flow);
            ++*r->n_carried;
        }
    }
    osw_inbox_free(&in);
}
