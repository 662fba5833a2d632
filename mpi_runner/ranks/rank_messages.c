/* mpi_runner/ranks/rank_messages.c - messages of a worker rank, in */
#include "mpi_runner/ranks/rank_messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/kernel/kernel_file.h"
#include "common/log.h"
#include "mpi_runner/ranks/rank_gang.h"
#include "mpi_runner/ranks/rank_objects.h"
#include "mpi_runner/transport/neighbour.h"
#include "results/journal/begun.h"

enum {
    MAX_POLLS = 64, /* frames taken in a row */
};

static const int64_t last_words_ns = 300000000; /* of a process that ended */
static const int64_t account_ns = 1000000000;   /* between two looks */
static const int64_t most_silence_ns = INT64_MAX / 100;

static struct osw_rank_kept *keep(struct osw_rank *l, uint8_t type,
                                  const void *data, size_t n)
{
    struct osw_rank_kept *k = malloc(sizeof(*k) + n);

    if (!k) {
        osw_fail(l->err, OSW_NO_MEMORY, "no memory for a message");
        return NULL;
    }
    k->next = NULL;
    k->type = type;
    k->n = n;
    memcpy(k->data, data, n);
    return k;
}

void osw_rank_free_kept(struct osw_rank_kept **list)
{
    while (*list) {
        struct osw_rank_kept *k = *list;

        *list = k->next;
        free(k);
    }
}

static void drop_judge(struct osw_rank *l)
{
    if (l->judge)
        l->ops->close(l->judge);
    l->judge = NULL;
    osw_rank_objects_close(l->objects);
    l->objects = NULL;
    free(l->campaign);
    l->campaign = NULL;
}

/* A campaign of a series, after another one.  The judge stays if it would be
 * made the same again.
 */
static void begin_next(struct osw_rank *l, const struct osw_msg_campaign *c,
                       const void *data, size_t n)
{
    l->n_campaigns++;
    l->opened = l->judge && n == l->campaign->n &&
                memcmp(data, l->campaign->data, n) == 0 &&
                osw_rank_objects_renew(l->objects, c);
    if (!l->opened)
        drop_judge(l);
    if (l->at_work_fd >= 0)
        close(l->at_work_fd);
    l->at_work_fd = -1;
    l->greeted = l->stopping = l->drop = l->left = l->summed_up = l->doubt =
        false;
    l->sum = (struct osw_msg_summary){.wall_ns = 0};
    l->start_ns = l->proved_ns = osw_clock_ns();
}

/* The second time, when the campaign was announced before it was planned. */
static void take_campaign(struct osw_rank *l, const struct osw_msg *m,
                          uint8_t type, const void *data, size_t n)
{
    const struct osw_msg_campaign *c = &m->u.campaign;

    if (l->summed_up)
        begin_next(l, c, data, n);
    if (!l->campaign)
        l->campaign = keep(l, type, data, n);
    if (l->judge && l->ops->expect && c->n_files != l->n_files)
        l->ops->expect(l->judge, c->n_files);
    l->n_files = c->n_files;
    l->heartbeat_ns = c->heartbeat_ns;
    l->prove_ns = c->prove_ns;
    l->silence_ns =
        c->silence_ns < most_silence_ns ? c->silence_ns : most_silence_ns;
    l->silence_ns *= OSW_PATIENCE;
    free(l->journal);
    l->journal = strdup(c->journal);
    l->session = c->session;
    l->series = c->series;
}

static void take_bundle(struct osw_rank *l, const struct osw_msg *m,
                        struct osw_rank_kept *k)
{
    if (!k)
        return;
    k->bundle = m->u.bundle.bundle;
    k->attempt = m->u.bundle.attempt;
    *l->tail = k;
    l->tail = &k->next;
    l->n_waiting++;
}

/* Give back the last n of the bundles that wait. */
static void give_back(struct osw_rank *l, uint32_t n)
{
    struct osw_msg m = {.type = OSW_MSG_GIVEN,
                        .u.given = {.bundle = UINT32_MAX}};
    struct osw_rank_kept **at = &l->head, *k;

    if (n > l->n_waiting)
        n = l->n_waiting;
    for (uint32_t i = n; i < l->n_waiting; i++)
        at = &(*at)->next;
    k = *at;
    *at = NULL;
    l->tail = at;
    l->n_waiting -= n;
    if (n == 0)
        osw_rank_post(l, &m);
    while (n > 0) {
        struct osw_rank_kept *next = k->next;

        m.u.given = (struct osw_msg_given){k->bundle, k->attempt, --n};
        osw_rank_post(l, &m);
        free(k);
        k = next;
    }
}

/* The coordinator ended, is silent, or cannot write its journal any more, but
 * this worker runs: so its cells did not kill the coordinator.
 */
static void outlive(struct osw_rank *l)
{
    if (l->journal)
        osw_begun_outlived(l->journal, l->session, l->link.transport->rank);
}

static void handle(struct osw_rank *l, const struct osw_msg *m, uint8_t type,
                   const void *data, size_t n)
{
    switch (m->type) {
    case OSW_MSG_CAMPAIGN:
        take_campaign(l, m, type, data, n);
        break;
    case OSW_MSG_BUNDLE:
        take_bundle(l, m, keep(l, type, data, n));
        break;
    case OSW_MSG_RECALL:
        give_back(l, m->u.recall.n);
        break;
    case OSW_MSG_OBJECT:
        osw_rank_objects_take(l->objects, &m->u.object);
        break;
    case OSW_MSG_PARTS:
        osw_rank_gang_parts(l, &m->u.parts);
        break;
    case OSW_MSG_BROKEN:
        osw_rank_gang_broken(l, &m->u.broken);
        break;
    case OSW_MSG_ACK:
        l->sum.n_acked = m->u.ack.n_results;
        break;
    case OSW_MSG_STOP:
        l->stopping = true;
        l->drop = l->drop || m->u.stop.now;
        osw_rank_gang_stop(l);
        break;
    case OSW_MSG_END:
        l->ended = true;
        l->lost = m->u.end.lost;
        if (m->u.end.unrecorded)
            outlive(l);
        break;
    default: /* a heartbeat: its arrival is all it says */
        break;
    }
}

/* The space belongs to the bundle in work: messages that come meanwhile are
 * decoded into another.
 */
static void read_frame(struct osw_rank *l, const unsigned char *frame, size_t n)
{
    static _Thread_local struct osw_msg_space space;
    const void *data;
    uint8_t type;
    size_t len;
    int rc;

    if (osw_inbox_open(&l->link.in, frame, n, l->err) < 0)
        return;
    while ((rc = osw_inbox_next(&l->link.in, &type, &data, &len, l->err)) > 0) {
        struct osw_msg m;

        if (osw_msg_decode(OSW_MSG_TO_WORKER, type, data, len, &space, &m,
                           l->err) < 0)
            return;
        handle(l, &m, type, data, len);
    }
}

/* --- silence --- */

static struct osw_rank_account account_of_thread(int64_t now)
{
    struct osw_rank_account a = {.at_ns = now};
    char text[128];

    return osw_kernel_file(gettid(), "schedstat", text, sizeof(text)) &&
                   sscanf(text, "%lld %lld", &a.ran_ns, &a.wait_ns) == 2
               ? a
               : (struct osw_rank_account){.at_ns = 0};
}

/* A worker that judges, and is silent for twice as long, is lost: why was it?
 */
static void explain_silence(struct osw_rank *l, int64_t silent_ns, int64_t now)
{
    struct osw_rank_account then = l->account, a = account_of_thread(now);

    if (then.at_ns && a.at_ns)
        osw_log(
            OSW_LOG_WARNING,
            "this worker said nothing for %.1f s: it was on a core for %.1f s, "
            "waited %.1f s for one, and was stopped or waited for a disk "
            "or another process for the rest",
            (double)silent_ns * 1e-9, (double)(a.ran_ns - then.ran_ns) * 1e-9,
            (double)(a.wait_ns - then.wait_ns) * 1e-9);
}

static void look_back(struct osw_rank *l, int64_t now)
{
    int64_t silent_ns = now - l->pumped_ns;
    bool ready = l->judge && l->pumped_ns > l->ready_ns;

    osw_link_look(&l->link, silent_ns);
    l->pumped_ns = now;
    if (ready && silent_ns > l->silence_ns / OSW_PATIENCE / 2)
        explain_silence(l, silent_ns, now);
    if (now - l->account.at_ns > account_ns)
        l->account = account_of_thread(now);
}

bool osw_rank_pump(struct osw_rank *l)
{
    struct osw_transport *t = l->link.transport;
    unsigned char frame[OSW_FRAME_MAX];
    int64_t now;
    bool got = false;
    int peer = 0;

    for (int i = 0; i < MAX_POLLS && !osw_rank_failed(l) && !l->ended; i++) {
        struct osw_error err = OSW_ERROR_INIT;
        size_t n;
        int rc = t->ops->poll(t, &peer, frame, &n, &err);

        if (rc < 0 && peer == l->link.peer)
            osw_fail(l->err, err.status, "%s", err.text);
        if (rc <= 0)
            break;
        if (peer != l->link.peer) {
            osw_rank_gang_frame(l, peer, frame, n);
            continue;
        }
        got = true;
        read_frame(l, frame, n);
    }
    if (osw_rank_failed(l))
        return got;
    now = osw_clock_ns();
    look_back(l, now);
    if (got)
        l->link.heard_ns = now;
    else if (now - l->link.heard_ns > last_words_ns &&
             osw_neighbour_gone(l->link.transport->root_fd))
        osw_fail(l->err, OSW_TIMEOUT, "the coordinator's process has ended");
    else if (now - l->link.heard_ns > l->silence_ns)
        osw_fail(l->err, OSW_TIMEOUT, "the coordinator was silent for %.1f s",
                 (double)(now - l->link.heard_ns) * 1e-9);
    if (l->err->status == OSW_TIMEOUT)
        outlive(l);
    else if (osw_link_heartbeat(&l->link, l->n_waiting, l->heartbeat_ns, now,
                                l->err) < 0)
        osw_error_in(l->err, "to the coordinator");
    return got;
}

void osw_rank_heed_signals(struct osw_rank *l)
{
    if (l->asked_ns || !l->life->n_stop || *l->life->n_stop == 0)
        return;
    l->asked_ns = osw_clock_ns();
    l->drop = true;
}

/* The results of the running bundle would reach no coordinator: stop it. */
static void quit(struct osw_rank *l)
{
    l->ops->abandon(l->judge);
    osw_rank_objects_close(l->objects);
    l->objects = NULL;
    l->life->quit(l->err);
}

void osw_rank_tick(void *arg)
{
    struct osw_rank *l = arg;

    osw_rank_pump(l);
    osw_rank_gang_relay(l);
    osw_rank_flush(l, true);
    osw_rank_heed_signals(l);
    if ((osw_rank_failed(l) || (l->ended && l->lost)) && l->judge &&
        l->life->quit)
        quit(l);
}
