/* results/report/run_status_file.c - how far a run is, from its file */
#include "results/report/run_status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "results/journal/entry.h"
#include "results/report/run_status_parts.h"

static int64_t time_of(const char *utc)
{
    struct tm tm = {0};

    return strptime(utc, "%Y-%m-%dT%H:%M:%SZ", &tm)
               ? (int64_t)timegm(&tm) * 1000000000
               : 0;
}

static int count_rows(struct osw_run_looking *l, struct osw_error *err)
{
    struct osw_run_status *s = l->out;
    uint64_t n = osw_file_info(l->file)->n_results;
    uint32_t *ids = malloc(3 * (n + 1) * sizeof(*ids));
    uint32_t *impl = ids + n + 1, *reason = ids + 2 * (n + 1);
    int32_t *ranks = malloc((n + 1) * sizeof(*ranks));
    uint8_t *states = malloc(n + 1);
    int rc = ids && ranks && states ? 0 : osw_run_status_no_memory(err);

    if (rc == 0 &&
        (osw_file_column(l->file, "status_id", OSW_COLUMN_u8, states, err) ||
         osw_file_column(l->file, "rank", OSW_COLUMN_i32, ranks, err) ||
         osw_file_column(l->file, "op_id", OSW_COLUMN_u32, ids, err) ||
         osw_file_column(l->file, "impl_id", OSW_COLUMN_u32, impl, err) ||
         osw_file_column(l->file, "reason_id", OSW_COLUMN_u32, reason, err)))
        rc = -1;
    for (uint64_t i = 0; i < n && rc == 0; i++) {
        struct osw_run_failed f = {i, ids[i], impl[i], reason[i], states[i]};

        if (!osw_state_known(states[i]))
            continue;
        s->n_group[osw_state_group((enum osw_state)states[i])]++;
        s->n_done++;
        s->n_judged += ranks[i] >= 0;
        rc = osw_run_status_note_failed(l, &f, err);
    }
    free(ids);
    free(ranks);
    free(states);
    return rc;
}

/* The last session begins with the last resume; rates are not known then, as
 * rows do not say which session judged them.
 */
static int count_sessions(struct osw_run_looking *l, const char *const *kinds,
                          uint64_t n, struct osw_error *err)
{
    struct osw_run_status *s = l->out;
    int64_t *t_ns = malloc((n + 1) * sizeof(*t_ns));
    int rc = t_ns ? 0 : osw_run_status_no_memory(err);

    if (rc == 0)
        rc = osw_file_values(l->file, "/events/t_ns", OSW_COLUMN_i64, n, t_ns,
                             err);
    for (uint64_t i = 0; i < n && rc == 0; i++) {
        if (strcmp(kinds[i], osw_event_name(OSW_EVENT_RESUME)) != 0)
            continue;
        s->n_sessions++;
        if (t_ns[i] > l->t_start_ns)
            l->t_start_ns = t_ns[i];
    }
    free(t_ns);
    return rc;
}

/* Lost ranks are events; a worker with a usable device says "ok".  A rank of
 * several sessions has a row in each: it is one worker.
 */
static int count_workers(struct osw_run_looking *l, struct osw_error *err)
{
    struct osw_run_status *s = l->out;
    uint64_t n = osw_file_rows(l->file, "/events");
    const char *const *kinds = NULL;
    size_t n_devices;
    const struct osw_file_device *d = osw_file_devices(l->file, &n_devices);

    for (size_t i = 0; i < n_devices; i++)
        if (osw_run_status_set_worker(l, d[i].rank,
                                      strcmp(d[i].info.health, "ok") == 0
                                          ? OSW_RUN_WORKER_JUDGING
                                          : OSW_RUN_WORKER_LEFT_OUT,
                                      err))
            return -1;
    osw_run_status_sum_workers(l);
    if (n && osw_file_texts(l->file, "/events/kind", n, &kinds, err))
        return -1;
    for (uint64_t i = 0; i < n; i++)
        s->n_lost += strcmp(kinds[i], osw_event_name(OSW_EVENT_RANK_LOST)) == 0;
    /* A merged file has the events of several runs. */
    if (n == 0 || osw_file_rows(l->file, "/runs"))
        return 0;
    return count_sessions(l, kinds, n, err);
}

int osw_run_status_load_file(struct osw_run_looking *l, const char *path,
                             struct osw_error *err)
{
    struct osw_run_status *s = l->out;
    const struct osw_file_info *info;
    int64_t end_ns;
    double seconds;

    l->file = osw_file_open(path, err);
    if (!l->file)
        return -1;
    info = osw_file_info(l->file);
    s->n_planned = info->n_planned;
    s->shard = info->shard.index;
    s->n_shards = info->shard.n;
    l->t_start_ns = time_of(info->created_utc);
    if (count_rows(l, err) || count_workers(l, err))
        return -1;
    s->no_journal = !info->complete || !osw_run_status_is_judged(s);
    s->phase = s->no_journal ? OSW_RUN_INCOMPLETE : OSW_RUN_COMPLETE;
    end_ns = time_of(info->sealed_utc); /* without fractions of seconds */
    s->elapsed_ns = end_ns > l->t_start_ns ? end_ns - l->t_start_ns : 0;
    seconds = (double)s->elapsed_ns * 1e-9;
    s->rate =
        seconds > 0 && s->n_sessions == 1 ? (double)s->n_judged / seconds : NAN;
    return osw_run_status_sum_failures(l, err);
}
