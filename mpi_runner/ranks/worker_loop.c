/* mpi_runner/ranks/worker_loop.c - the life of a worker rank */
#include "mpi_runner/ranks/worker_loop.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "mpi_runner/ranks/rank.h"
#include "mpi_runner/ranks/rank_bundles.h"
#include "mpi_runner/ranks/rank_messages.h"
#include "mpi_runner/ranks/rank_objects.h"
#include "mpi_runner/transport/neighbour.h"

enum {
    SEAL_PATIENCE = 4,  /* while the coordinator writes its file, times that */
    FIRST_TOGETHER = 4, /* until it is known how long they take */
};

/* Until the campaign comes, which says how long silence may be. */
static const int64_t start_limit_ns = (int64_t)600 * 1000000000;
static const int64_t start_heartbeat_ns = 1000000000;
static const int64_t leave_after_ns = 1000000000; /* asked to stop, alone */
static const int64_t prove_idle_ns = 1000000000;  /* without anything to do */

static void say_hello(struct osw_rank *l)
{
    const struct osw_transport *t = l->link.transport;
    struct osw_msg m = {
        .type = OSW_MSG_HELLO,
        .u.hello = {.version = OSW_MSG_VERSION,
                    .pid = (uint64_t)getpid(),
                    .born = osw_neighbour_born((uint64_t)getpid()),
                    .pid_space = osw_neighbour_pid_space(),
                    .local_index = t->local_index,
                    .n_local = t->n_local,
                    .host = t->host}};

    osw_rank_post(l, &m);
    l->greeted = true;
    if (l->opened) /* for the campaign before */
        osw_rank_say_ready(l);
}

static void sum_up(struct osw_rank *l)
{
    struct osw_msg m = {.type = OSW_MSG_SUMMARY};

    osw_rank_prove(l);
    l->since_unix_ns = osw_clock_unix_ns();
    if (l->judge && l->series && l->ops->rest) {
        l->ops->rest(l->judge);
    } else if (l->judge) {
        l->ops->close(l->judge);
        l->judge = NULL;
    }
    l->silence_ns *= SEAL_PATIENCE;
    l->sum.wall_ns = osw_clock_ns() - l->start_ns;
    m.u.summary = l->sum;
    osw_rank_post(l, &m);
    l->summed_up = true;
}

static void idle(struct osw_rank *l, int64_t since_ns)
{
    struct osw_transport *t = l->link.transport;

    osw_rank_flush(l, true);
    if (l->unproved && since_ns - l->judged_ns > prove_idle_ns)
        osw_rank_prove(l); /* it may soon have something that takes long */
    t->ops->wait(t, l->heartbeat_ns);
    l->sum.idle_ns += osw_clock_ns() - since_ns;
}

/* Was this rank asked to stop, but not the campaign? */
static bool is_alone(const struct osw_rank *l, int64_t now)
{
    return l->asked_ns && now - l->asked_ns > leave_after_ns && !l->stopping &&
           !l->left && l->campaign;
}

static void step(struct osw_rank *l)
{
    int64_t now = osw_clock_ns();
    struct osw_msg m;

    osw_rank_pump(l);
    if (osw_rank_failed(l) || l->ended)
        return;
    if (!l->greeted)
        say_hello(l);
    osw_rank_heed_signals(l);
    if (l->campaign && !l->opened) {
        const struct osw_rank_kept *k = l->campaign;

        l->opened = true;
        osw_rank_flush(l, true);
        if (osw_msg_decode(OSW_MSG_TO_WORKER, k->type, k->data, k->n, &l->space,
                           &m, l->err) == 0)
            osw_rank_open_judge(l, &m.u.campaign);
    } else if (l->head) {
        osw_rank_next_bundles(l);
    } else if (l->stopping && !l->summed_up) {
        sum_up(l);
    } else if (is_alone(l, now)) {
        osw_rank_prove(l);
        if (!l->left)
            osw_rank_leave(l, "this rank alone was asked to stop", false);
    } else {
        idle(l, now);
    }
}

static void destroy(struct osw_rank *l)
{
    free(l->now);
    free(l->spaces);
    free(l->bundles);
    free(l->n_emitted);
    free(l->gang.segment_fds);
    free(l);
}

static struct osw_rank *create(const struct osw_worker_ops *ops,
                               const struct osw_worker_life *life)
{
    struct osw_rank *l = calloc(1, sizeof(*l));

    if (!l)
        return NULL;
    l->at_work_fd = -1;
    l->ops = ops;
    l->life = life;
    l->most = ops->together ? ops->together : 1;
    l->n_together = l->most < FIRST_TOGETHER ? l->most : FIRST_TOGETHER;
    l->now = calloc(l->most, sizeof(*l->now));
    l->spaces = calloc(l->most, sizeof(*l->spaces));
    l->bundles = calloc(l->most, sizeof(*l->bundles));
    l->n_emitted = calloc(l->most, sizeof(*l->n_emitted));
    if (l->now && l->spaces && l->bundles && l->n_emitted)
        return l;
    destroy(l);
    return NULL;
}

int osw_worker_loop_run(struct osw_transport *transport,
                        const struct osw_worker_ops *ops,
                        const struct osw_worker_life *life, bool *lost,
                        struct osw_error *err)
{
    struct osw_error own = OSW_ERROR_INIT;
    struct osw_rank *l = create(ops, life);

    *lost = true;
    if (!l)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a worker");
    l->err = &own;
    l->tail = &l->head;
    l->start_ns = l->flushed_ns = l->pumped_ns = osw_clock_ns();
    l->heartbeat_ns = start_heartbeat_ns;
    l->silence_ns = life->silence_ns ? life->silence_ns : start_limit_ns;
    osw_link_open(&l->link, transport, 0, l->start_ns);
    while (!osw_rank_failed(l) && !l->ended)
        step(l);
    if (l->ended)
        *lost = l->lost;
    if (l->judge)
        ops->close(l->judge);
    osw_rank_objects_close(l->objects);
    osw_rank_free_kept(&l->head);
    free(l->campaign);
    free(l->journal);
    osw_link_close(&l->link);
    if (l->at_work_fd >= 0)
        close(l->at_work_fd);
    destroy(l);
    if (own.status == OSW_OK)
        return 0;
    return osw_fail(err, own.status, "%s", own.text);
}
