/* results/report/run_status.c - how far a run is, from its journal */
#include "results/report/run_status.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/grow.h"
#include "results/journal/entry.h"
#include "results/journal/journal.h"
#include "results/journal/journal_verify.h"
#include "results/journal/lock.h"
#include "results/report/run_status_parts.h"

static const int64_t window_ns = INT64_C(30000000000);
enum { TRIES = 3, MAX_RANKS = 1 << 20, AGAIN = 0x80 };

int osw_run_status_no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory to look at a run");
}

double osw_run_status_recent(const int64_t *ends_ns, size_t n,
                             int64_t elapsed_ns)
{
    int64_t window = elapsed_ns / 5 > window_ns ? elapsed_ns / 5 : window_ns;
    uint64_t recent = 0;

    if (window > elapsed_ns)
        window = elapsed_ns;
    for (size_t i = 0; i < n; i++)
        recent += ends_ns[i] > elapsed_ns - window;
    return window > 0 && recent ? (double)recent / ((double)window * 1e-9)
                                : NAN;
}

/* --- failures --- */

int osw_run_status_note_failed(struct osw_run_looking *l,
                               const struct osw_run_failed *f,
                               struct osw_error *err)
{
    enum osw_state_group group = osw_state_group((enum osw_state)f->state);
    struct osw_run_failed *p;

    if (group != OSW_GROUP_FAIL && group != OSW_GROUP_ERROR)
        return 0;
    p = osw_grow(l->failed, l->n_failed, &l->size_failed, sizeof(*p));
    if (!p)
        return osw_run_status_no_memory(err);
    l->failed = p;
    l->failed[l->n_failed++] = *f;
    return 0;
}

static int by_kind(const void *a, const void *b)
{
    const struct osw_run_failed *x = a, *y = b;

    if (x->op != y->op)
        return x->op < y->op ? -1 : 1;
    if (x->impl != y->impl)
        return x->impl < y->impl ? -1 : 1;
    if (x->state != y->state)
        return x->state < y->state ? -1 : 1;
    return x->cell < y->cell ? -1 : x->cell > y->cell;
}

static bool same_kind(const struct osw_run_failed *x,
                      const struct osw_run_failed *y)
{
    return x->op == y->op && x->impl == y->impl && x->state == y->state;
}

static const char *text_of(const struct osw_run_looking *l, enum osw_dict dict,
                           uint32_t id)
{
    const char *text = l->file ? osw_file_text(l->file, dict, id)
                               : osw_dicts_text(l->dicts, dict, id);

    return osw_arena_strdup(l->out->arena, text ? text : "?");
}

/* Keep the kinds with the most cells; of equal ones the first. */
static int keep(struct osw_run_looking *l, const struct osw_run_failed *f,
                uint64_t n, struct osw_error *err)
{
    struct osw_run_status *s = l->out;
    size_t at = s->n_failures;
    struct osw_run_failure failure = {.state = (enum osw_state)f->state,
                                      .n = n};

    s->n_failure_kinds++;
    while (at > 0 && s->failures[at - 1].n < n)
        at--;
    if (at == OSW_RUN_STATUS_FAILURES)
        return 0;
    failure.op = text_of(l, OSW_DICT_OP, f->op);
    failure.impl = text_of(l, OSW_DICT_IMPL, f->impl);
    failure.reason = text_of(l, OSW_DICT_REASON, f->reason);
    if (!failure.op || !failure.impl || !failure.reason)
        return osw_run_status_no_memory(err);
    if (s->n_failures < OSW_RUN_STATUS_FAILURES)
        s->n_failures++;
    memmove(s->failures + at + 1, s->failures + at,
            (s->n_failures - at - 1) * sizeof(failure));
    s->failures[at] = failure;
    return 0;
}

int osw_run_status_sum_failures(struct osw_run_looking *l,
                                struct osw_error *err)
{
    if (l->n_failed)
        qsort(l->failed, l->n_failed, sizeof(*l->failed), by_kind);
    for (size_t i = 0, end; i < l->n_failed; i = end) {
        for (end = i;
             end < l->n_failed && same_kind(&l->failed[end], &l->failed[i]);)
            end++;
        if (keep(l, &l->failed[i], end - i, err))
            return -1;
    }
    return 0;
}

/* --- workers --- */

int osw_run_status_set_worker(struct osw_run_looking *l, int32_t rank,
                              enum osw_run_worker state, struct osw_error *err)
{
    if (rank < 0 || rank >= MAX_RANKS)
        return 0;
    if ((size_t)rank >= l->n_ranks) {
        size_t n = (size_t)rank + 64;
        uint8_t *more = realloc(l->workers, n);

        if (!more)
            return osw_run_status_no_memory(err);
        memset(more + l->n_ranks, OSW_RUN_WORKER_ABSENT, n - l->n_ranks);
        l->workers = more;
        l->n_ranks = n;
    }
    l->workers[rank] = (uint8_t)state;
    return 0;
}

/* --- the journal --- */

/* A resumed run judges cells in group infra again: until it ends, those of
 * earlier sessions are not done.
 */
static void judge_again(struct osw_run_looking *l)
{
    l->n_again = 0;
    for (uint64_t i = 0; l->states && i < l->n_numbers; i++) {
        uint8_t state = l->states[i] & (uint8_t)~AGAIN;

        if (state == OSW_STATE_NONE ||
            osw_state_group((enum osw_state)state) != OSW_GROUP_INFRA)
            continue;
        l->states[i] = state | AGAIN;
        l->n_again++;
    }
}

static int on_event(struct osw_run_looking *l, const struct osw_entry *e,
                    struct osw_error *err)
{
    static const enum osw_run_worker becomes[OSW_EVENT_COUNT] = {
        [OSW_EVENT_RANK_LOST] = OSW_RUN_WORKER_LOST,
        [OSW_EVENT_DEVICE_LOST] = OSW_RUN_WORKER_LEFT_OUT,
        [OSW_EVENT_QUARANTINE] = OSW_RUN_WORKER_LEFT_OUT,
    };

    if (e->event.t_ns > l->t_last_ns)
        l->t_last_ns = e->event.t_ns;
    if (e->event.kind == OSW_EVENT_RESUME) {
        l->out->n_sessions++;
        l->t_start_ns = l->t_last_ns = e->event.t_ns;
        l->n_ends = 0;
        l->out->predicted_ns = 0;
        l->ended = l->complete = l->sealed = false;
        l->lost[0] = '\0';
        judge_again(l);
        if (l->n_ranks)
            memset(l->workers, OSW_RUN_WORKER_ABSENT, l->n_ranks);
    }
    if (becomes[e->event.kind] == OSW_RUN_WORKER_ABSENT)
        return 0;
    if (e->event.kind == OSW_EVENT_RANK_LOST)
        snprintf(l->lost, sizeof(l->lost), "rank %d: %s", (int)e->event.rank,
                 e->event.text);
    return osw_run_status_set_worker(l, e->event.rank, becomes[e->event.kind],
                                     err);
}

static int note_end(struct osw_run_looking *l, const struct osw_record *r,
                    struct osw_error *err)
{
    int64_t end_ns = r->t_start_ns + (r->wall_ns > 0 ? r->wall_ns : 0), *p;

    if (end_ns > l->t_last_ns)
        l->t_last_ns = end_ns;
    if (r->rank < 0)
        return 0;
    p = osw_grow(l->ends, l->n_ends, &l->size_ends, sizeof(*p));
    if (!p)
        return osw_run_status_no_memory(err);
    l->ends = p;
    l->ends[l->n_ends++] = end_ns - l->t_start_ns;
    /* One that comes back after it was lost has results again. */
    if ((size_t)r->rank < l->n_ranks &&
        l->workers[r->rank] == OSW_RUN_WORKER_LOST)
        l->workers[r->rank] = OSW_RUN_WORKER_JUDGING;
    return 0;
}

/* As osw_replay_load(): the first result counts, but for group infra. */
static int on_result(struct osw_run_looking *l, const struct osw_entry *e,
                     struct osw_error *err)
{
    const struct osw_record *r = &e->result;
    struct osw_run_status *s = l->out;
    struct osw_run_failed f = {r->cell, r->op_id, r->impl_id, r->reason_id,
                               r->status_id};
    enum osw_state was;

    if (!l->states) {
        if (l->n_numbers > OSW_FILE_MAX_ROWS)
            return osw_fail(err, OSW_BAD_INPUT,
                            "%" PRIu64 " cells are planned, at most %d",
                            l->n_numbers, OSW_FILE_MAX_ROWS);
        l->states = calloc(l->n_numbers + 1, 1);
        if (!l->states)
            return osw_run_status_no_memory(err);
    }
    if (r->cell >= l->n_numbers || !osw_state_known(r->status_id))
        return osw_fail(err, OSW_BAD_INPUT,
                        "a result of cell %" PRIu64
                        " in state %u, where %" PRIu64 " cells are planned",
                        r->cell, r->status_id, l->n_numbers);
    if (note_end(l, r, err))
        return -1;
    was = (enum osw_state)(l->states[r->cell] & (uint8_t)~AGAIN);
    if (was != OSW_STATE_NONE) {
        if (osw_state_group(was) != OSW_GROUP_INFRA)
            return 0;
        s->n_group[OSW_GROUP_INFRA]--;
        s->n_done--;
        l->n_again -= (l->states[r->cell] & AGAIN) != 0;
    }
    l->states[r->cell] = r->status_id;
    s->n_group[osw_state_group((enum osw_state)r->status_id)]++;
    s->n_done++;
    return osw_run_status_note_failed(l, &f, err);
}

static int on_dict(struct osw_run_looking *l, const struct osw_entry *e,
                   struct osw_error *err)
{
    uint32_t id;
    bool is_new;

    return osw_dicts_intern(l->dicts, (enum osw_dict)e->dict.dict, e->dict.text,
                            &id, &is_new, err);
}

static int take(void *arg, const struct osw_frame *frame,
                const struct osw_journal_place *place, struct osw_error *err)
{
    struct osw_run_looking *l = arg;
    struct osw_run_status *s = l->out;
    struct osw_entry e;
    int rc = osw_entry_decode(frame, &e, l->samples, err);

    (void)place;
    if (rc != 0)
        return rc < 0 ? -1 : 0;
    switch (e.type) {
    case OSW_ENTRY_RUN:
        l->t_start_ns = l->t_last_ns = e.run.info.t_start_ns;
        snprintf(l->uuid, sizeof(l->uuid), "%s", e.run.info.uuid);
        break;
    case OSW_ENTRY_PLAN:
        s->n_planned = l->n_numbers = e.plan.n_planned;
        break;
    case OSW_ENTRY_SHARD:
        s->shard = e.shard.index;
        s->n_shards = e.shard.n;
        l->n_numbers = e.shard.n_cells;
        break;
    case OSW_ENTRY_DICT:
        return on_dict(l, &e, err);
    case OSW_ENTRY_DEVICE:
        return osw_run_status_set_worker(l, e.device.rank,
                                         OSW_RUN_WORKER_JUDGING, err);
    case OSW_ENTRY_FACTS:
        return strcmp(e.facts.info.health, "ok") == 0
                   ? 0
                   : osw_run_status_set_worker(l, e.facts.rank,
                                               OSW_RUN_WORKER_LEFT_OUT, err);
    case OSW_ENTRY_RESULT:
        return on_result(l, &e, err);
    case OSW_ENTRY_EVENT:
        return on_event(l, &e, err);
    case OSW_ENTRY_PREDICTION:
        s->predicted_ns = e.prediction.n_known ? e.prediction.wall_ns : 0;
        break;
    case OSW_ENTRY_END:
        l->ended = true;
        l->complete = e.end.complete;
        l->t_last_ns = e.end.t_ns;
        l->sealed = false;
        break;
    case OSW_ENTRY_SEAL:
        l->sealed = true;
        break;
    default:
        break;
    }
    return 0;
}

/* Since when the holder of the lock has not touched it; 0: lately. */
static int64_t silence(const char *dir, int64_t now_ns)
{
    char path[4096];
    struct stat st;
    int64_t age_ns;

    snprintf(path, sizeof(path), "%s/lock", dir);
    if (stat(path, &st) < 0)
        return 0;
    age_ns =
        now_ns - ((int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec);
    return age_ns > OSW_LOCK_PATIENCE_NS ? age_ns : 0;
}

bool osw_run_status_is_judged(const struct osw_run_status *s)
{
    return s->n_done == s->n_planned && s->n_group[OSW_GROUP_INFRA] == 0;
}

static uint64_t count_lost(const struct osw_run_looking *l)
{
    uint64_t n = 0;

    for (uint64_t i = 0; l->states && i < l->n_numbers; i++)
        n += (l->states[i] & (uint8_t)~AGAIN) == OSW_STATE_LOST;
    return n;
}

static enum osw_run_phase phase_of(const struct osw_run_looking *l, bool held)
{
    if (held)
        return OSW_RUN_GOING;
    if (!l->ended)
        return OSW_RUN_CUT_OFF;
    return l->complete && l->sealed && osw_run_status_is_judged(l->out)
               ? OSW_RUN_COMPLETE
               : OSW_RUN_INCOMPLETE;
}

void osw_run_status_sum_workers(struct osw_run_looking *l)
{
    struct osw_run_status *s = l->out;

    for (size_t r = 0; r < l->n_ranks; r++) {
        s->n_workers += l->workers[r] == OSW_RUN_WORKER_JUDGING;
        s->n_left_out += l->workers[r] == OSW_RUN_WORKER_LEFT_OUT;
        s->n_lost += l->workers[r] == OSW_RUN_WORKER_LOST;
    }
}

static void sum_up(struct osw_run_looking *l, int64_t now_ns)
{
    struct osw_run_status *s = l->out;
    double seconds;

    s->elapsed_ns =
        (s->phase == OSW_RUN_GOING ? now_ns : l->t_last_ns) - l->t_start_ns;
    if (s->elapsed_ns < 0)
        s->elapsed_ns = 0; /* clocks of two hosts */
    seconds = (double)s->elapsed_ns * 1e-9;
    s->n_judged = l->n_ends;
    s->rate = seconds > 0 && l->n_ends ? (double)l->n_ends / seconds : NAN;
    s->recent_rate = osw_run_status_recent(l->ends, l->n_ends, s->elapsed_ns);
    s->left_s = (double)(s->n_planned - s->n_done) / s->recent_rate;
    osw_run_status_sum_workers(l);
}

/* Records after a damaged one are not read.  A torn tail is what kill -9
 * leaves.
 */
static int look_for_damage(struct osw_run_status *s, const char *dir,
                           struct osw_error *err)
{
    struct osw_journal_verdict v;
    char text[400];

    if (osw_journal_verify(dir, &v, err))
        return -1;
    if (v.state != OSW_JOURNAL_DAMAGED)
        return 0;
    snprintf(text, sizeof(text),
             "record %" PRIu64 ": %s; %" PRIu64
             " record%s after it %s not read",
             v.seq, v.why, v.n_after, osw_plural(v.n_after),
             v.n_after == 1 ? "is" : "are");
    s->damage = osw_arena_strdup(s->arena, text);
    return s->damage ? 0 : osw_run_status_no_memory(err);
}

/* The file that an earlier session left, or that came from elsewhere. */
static void look_beside(struct osw_run_looking *l)
{
    struct osw_run_status *s = l->out;
    osw_file_t *file =
        access(s->path, F_OK) == 0 ? osw_file_open_bare(s->path, NULL) : NULL;

    if (!file)
        return;
    s->beside = true;
    s->n_in_file = osw_file_info(file)->n_results;
    s->other_run = strcmp(osw_file_info(file)->run_uuid, l->uuid) != 0;
    osw_file_close(file);
}

static int load_journal(struct osw_run_looking *l, const char *dir,
                        int64_t now_ns, struct osw_error *err)
{
    struct osw_run_status *s = l->out;
    struct osw_journal_tail tail;
    char who[300] = "";
    bool held = osw_lock_look(dir, who, sizeof(who)) != OSW_LOCK_FREE;

    l->dicts = osw_dicts_create();
    l->samples = malloc(OSW_RECORD_MAX_SAMPLES * sizeof(*l->samples));
    if (!l->dicts || !l->samples)
        return osw_run_status_no_memory(err);
    if (osw_journal_scan(dir, take, l, &tail, err))
        return osw_error_in(err, "'%s'", dir);
    s->journal = osw_arena_strdup(s->arena, dir);
    if (!held && tail.dropped_bytes && look_for_damage(s, dir, err))
        return -1;
    if (!l->ended) {
        s->n_group[OSW_GROUP_INFRA] -= l->n_again;
        s->n_done -= l->n_again;
        s->n_again = l->n_again;
    }
    s->phase = phase_of(l, held);
    s->no_file = l->ended && !l->sealed;
    s->n_lost_cells = count_lost(l);
    if (held) {
        s->who = osw_arena_strdup(s->arena, who);
        s->silent_ns = silence(dir, now_ns);
    }
    s->lost = osw_arena_strdup(s->arena, l->lost);
    if (!s->who || !s->lost || !s->journal)
        return osw_run_status_no_memory(err);
    if (!held)
        look_beside(l);
    sum_up(l, now_ns);
    return osw_run_status_sum_failures(l, err);
}

/* --- both --- */

static void clean_up(struct osw_run_looking *l)
{
    osw_dicts_destroy(l->dicts);
    osw_file_close(l->file);
    free(l->samples);
    free(l->states);
    free(l->failed);
    free(l->ends);
    free(l->workers);
}

static int load(const char *path, const char *dir, int64_t now_ns,
                struct osw_run_status *s, struct osw_error *err)
{
    struct osw_run_looking l = {.out = s};
    int rc = -1;

    *s = (struct osw_run_status){.arena = osw_arena_create(),
                                 .who = "",
                                 .lost = "",
                                 .n_sessions = 1,
                                 .rate = NAN,
                                 .recent_rate = NAN,
                                 .left_s = NAN};
    if (s->arena)
        s->path = osw_arena_strdup(s->arena, path);
    if (!s->path)
        osw_run_status_no_memory(err);
    else if (access(dir, F_OK) == 0)
        rc = load_journal(&l, dir, now_ns, err);
    else if (access(path, F_OK) == 0)
        rc = osw_run_status_load_file(&l, path, err);
    else
        osw_fail(err, OSW_BAD_INPUT, "there is neither '%s' nor '%s'", path,
                 dir);
    clean_up(&l);
    if (rc)
        osw_run_status_free(s);
    return rc;
}

int osw_run_status_load(const char *path, int64_t now_ns,
                        struct osw_run_status *out, struct osw_error *err)
{
    struct osw_text dir = OSW_TEXT_INIT;
    int rc = -1;

    osw_text_printf(&dir, "%s.journal", path);
    if (dir.failed)
        osw_run_status_no_memory(err);
    for (int i = 1; !dir.failed && rc; i++) { /* a run may end meanwhile */
        struct osw_error why = OSW_ERROR_INIT;
        bool was = access(osw_text_str(&dir), F_OK) == 0;

        rc = load(path, osw_text_str(&dir), now_ns, out, &why);
        if (rc &&
            (i == TRIES || (access(osw_text_str(&dir), F_OK) == 0) == was)) {
            osw_fail(err, why.status, "%s", why.text);
            break;
        }
    }
    osw_text_free(&dir);
    return rc;
}

void osw_run_status_free(struct osw_run_status *status)
{
    osw_arena_destroy(status->arena);
    *status = (struct osw_run_status){.arena = NULL};
}
