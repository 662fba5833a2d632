/* results/journal/begun.c - cells that were begun and never ended, by sessions
 */
#include "results/journal/begun.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/grow.h"
#include "ops/record/record.h"
#include "ops/record/state.h"
#include "results/journal/at_work.h"
#include "results/journal/entry.h"
#include "results/journal/journal.h"

/* A BEGIN or RESULT. */
struct mark {
    uint64_t cell;
    uint32_t session;
    int32_t rank;
    size_t n; /* in order of the journal */
    bool result;
};

/* A worker in one session. */
struct worker {
    uint32_t session;
    int32_t rank;
    size_t n; /* if it was lost: marks of the journal before that */
};

struct loading {
    struct mark *marks; /* [n] */
    size_t n, size;
    struct worker *survivors; /* [n_survivors] that outlived it, sorted */
    size_t n_survivors;
    struct worker *lost; /* [n_lost] in its course, sorted */
    size_t n_lost, size_lost;
    struct osw_at_work_list at_work;
    bool *ended;   /* [n_sessions] by itself */
    bool *stopped; /* likewise: was asked to */
    uint32_t n_sessions;
    size_t *n_suspects; /* [n_sessions] cells that each may have died of */
    float *samples;     /* [OSW_RECORD_MAX_SAMPLES], for the decoder */
};

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory to read the journal");
}

static int add_mark(struct loading *l, uint64_t cell, int32_t rank, bool result,
                    struct osw_error *err)
{
    struct mark *p = osw_grow(l->marks, l->n, &l->size, sizeof(*p));

    if (!p)
        return no_memory(err);
    l->marks = p;
    l->marks[l->n] = (struct mark){cell, l->n_sessions - 1, rank, l->n, result};
    l->n++;
    return 0;
}

static int add_lost(struct loading *l, int32_t rank, struct osw_error *err)
{
    struct worker *p = osw_grow(l->lost, l->n_lost, &l->size_lost, sizeof(*p));

    if (!p)
        return no_memory(err);
    l->lost = p;
    l->lost[l->n_lost++] = (struct worker){l->n_sessions - 1, rank, l->n};
    return 0;
}

static int add_session(struct loading *l, struct osw_error *err)
{
    size_t size = (l->n_sessions + 1) * sizeof(bool);
    bool *ended = realloc(l->ended, size), *stopped;

    if (!ended)
        return no_memory(err);
    l->ended = ended;
    stopped = realloc(l->stopped, size);
    if (!stopped)
        return no_memory(err);
    l->stopped = stopped;
    ended[l->n_sessions] = stopped[l->n_sessions] = false;
    l->n_sessions++;
    return 0;
}

static int add_event(struct loading *l, const struct osw_entry *e,
                     struct osw_error *err)
{
    uint32_t session = l->n_sessions - 1;

    if (e->event.kind == OSW_EVENT_RESUME)
        return add_session(l, err);
    if (e->event.kind == OSW_EVENT_RANK_LOST && !l->stopped[session])
        return add_lost(l, e->event.rank, err);
    if (e->event.kind == OSW_EVENT_SIGNAL)
        l->stopped[session] = true;
    return 0;
}

static int add(void *arg, const struct osw_frame *frame,
               const struct osw_journal_place *place, struct osw_error *err)
{
    struct loading *l = arg;
    struct osw_entry e;
    int rc;

    (void)place;
    if (frame->type != OSW_ENTRY_BEGIN && frame->type != OSW_ENTRY_RESULT &&
        frame->type != OSW_ENTRY_EVENT && frame->type != OSW_ENTRY_END)
        return 0;
    rc = osw_entry_decode(frame, &e, l->samples, err);
    if (rc != 0)
        return rc < 0 ? -1 : 0;
    if (e.type == OSW_ENTRY_BEGIN)
        return add_mark(l, e.begin.cell, e.begin.rank, false, err);
    if (e.type == OSW_ENTRY_EVENT)
        return add_event(l, &e, err);
    if (e.type == OSW_ENTRY_END)
        l->ended[l->n_sessions - 1] = true;
    else if (e.result.status_id != OSW_STATE_LOST) /* it has none, then */
        return add_mark(l, e.result.cell, e.result.rank, true, err);
    return 0;
}

/* --- survivors --- */

static void name_survivor(char *path, size_t size, const char *dir,
                          const struct worker *w)
{
    snprintf(path, size, "%s/outlived.%" PRIu32 ".%" PRId32, dir, w->session,
             w->rank);
}

void osw_begun_outlived(const char *dir, uint32_t session, int32_t rank)
{
    const struct worker w = {session, rank, 0};
    char path[4096];
    int fd;

    name_survivor(path, sizeof(path), dir, &w);
    fd = *dir ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666) : -1;
    if (fd >= 0)
        close(fd);
}

static bool read_survivor(const char *name, struct worker *out)
{
    return sscanf(name, "outlived.%" SCNu32 ".%" SCNd32, &out->session,
                  &out->rank) == 2;
}

static int is_survivor(const struct dirent *e)
{
    struct worker w;

    return read_survivor(e->d_name, &w);
}

static int by_session(const void *a, const void *b)
{
    const struct worker *x = a, *y = b;

    if (x->session != y->session)
        return x->session < y->session ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* Load the marker files that workers left in the journal's folder. */
static int load_survivors(struct loading *l, const char *dir,
                          struct osw_error *err)
{
    struct dirent **files = NULL;
    int n = scandir(dir, &files, is_survivor, NULL);

    l->survivors = malloc((n > 0 ? (size_t)n : 1) * sizeof(*l->survivors));
    for (int i = 0; i < n; i++) {
        if (l->survivors &&
            read_survivor(files[i]->d_name, &l->survivors[l->n_survivors]))
            l->n_survivors++;
        free(files[i]);
    }
    free(files);
    if (!l->survivors)
        return no_memory(err);
    qsort(l->survivors, l->n_survivors, sizeof(*l->survivors), by_session);
    return 0;
}

/* Of a worker that came back and was lost once more the last time counts. */
static void sort_lost(struct loading *l)
{
    size_t n = 0;

    if (l->n_lost)
        qsort(l->lost, l->n_lost, sizeof(*l->lost), by_session);
    for (size_t i = 0; i < l->n_lost; i++) {
        struct worker *last = n > 0 ? &l->lost[n - 1] : NULL;

        if (last && by_session(last, &l->lost[i]) == 0)
            last->n = l->lost[i].n > last->n ? l->lost[i].n : last->n;
        else
            l->lost[n++] = l->lost[i];
    }
    l->n_lost = n;
}

/* --- counting --- */

/* Was the worker lost to which the cell was given last, in the session's course
 * or because the session died?
 */
static bool counts(const struct loading *l, const struct mark *m)
{
    const struct worker w = {m->session, m->rank, 0}, *lost = NULL;
    bool died = !l->ended[m->session] && !l->stopped[m->session];

    if (m->result)
        return false;
    if (l->n_lost)
        lost = bsearch(&w, l->lost, l->n_lost, sizeof(w), by_session);
    if (lost && m->n < lost->n) /* else it came back before */
        return true;
    return died &&
           !bsearch(&w, l->survivors, l->n_survivors, sizeof(w), by_session);
}

/* By cell, then session; in each, results first, then the last BEGIN. */
static int by_cell(const void *a, const void *b)
{
    const struct mark *x = a, *y = b;

    if (x->cell != y->cell)
        return x->cell < y->cell ? -1 : 1;
    if (x->session != y->session)
        return x->session < y->session ? -1 : 1;
    if (x->result != y->result)
        return x->result ? -1 : 1;
    return x->n > y->n ? -1 : x->n < y->n;
}

/* Keep the first mark of each cell and session, if it is a BEGIN that counts.
 */
static void keep_counting(struct loading *l)
{
    struct mark last = {.n = 0};
    size_t n = 0;

    for (size_t i = 0; i < l->n; i++) {
        const struct mark m = l->marks[i];
        bool first = i == 0 || last.cell != m.cell || last.session != m.session;

        last = m;
        if (first && counts(l, &m))
            l->marks[n++] = m;
    }
    l->n = n;
}

/* Of what a dead worker had in hand, drop what it was not at.  A file that
 * names no cell in hand is old, and says nothing.
 */
static void keep_at_work(struct loading *l)
{
    size_t n = 0;

    for (size_t i = 0; i < l->n; i++) {
        const struct mark *m = &l->marks[i];
        struct osw_at_work *w =
            osw_at_work_find(&l->at_work, m->session, m->rank);

        if (w && osw_at_work_names(w, m->cell))
            w->n_open++;
    }
    for (size_t i = 0; i < l->n; i++) {
        const struct mark m = l->marks[i];
        const struct osw_at_work *w =
            osw_at_work_find(&l->at_work, m.session, m.rank);

        if (!w || w->n_open == 0 || osw_at_work_names(w, m.cell))
            l->marks[n++] = m;
    }
    l->n = n;
}

static bool was_killed(const struct loading *l, const struct mark *m)
{
    const struct osw_at_work *w =
        osw_at_work_find(&l->at_work, m->session, m->rank);

    return w && osw_death_is_external(&w->death);
}

/* A cell that was pardoned in a session counts there all the same as one that
 * others share the suspicion with: this favours those.
 */
static void count(const struct loading *l, struct osw_begun *out)
{
    for (size_t i = 0; i < l->n; i++)
        l->n_suspects[l->marks[i].session]++;
    for (size_t i = 0; i < l->n; i++) {
        const struct mark *m = &l->marks[i];
        struct osw_begun_cell *c;

        if (out->n == 0 || out->cells[out->n - 1].cell != m->cell)
            out->cells[out->n++] = (struct osw_begun_cell){.cell = m->cell};
        c = &out->cells[out->n - 1];
        if (c->n_pardoned < OSW_BEGUN_PARDONS && was_killed(l, m)) {
            c->n_pardoned++;
            continue;
        }
        c->n++;
        c->n_alone += l->n_suspects[m->session] == 1;
    }
}

enum osw_suspicion osw_begun_suspicion(const struct osw_begun_cell *c)
{
    if (c->n == 0 && c->n_pardoned == 0)
        return OSW_SUSPICION_NONE;
    if (c->n <= 1)
        return OSW_SUSPICION_SHARED;
    return c->n_alone >= 2 || (c->n >= 3 && c->n_alone) ? OSW_SUSPICION_PROVED
                                                        : OSW_SUSPICION_ALONE;
}

int osw_begun_load(const char *dir, struct osw_begun *out,
                   struct osw_error *err)
{
    struct loading l = {.n = 0};
    struct osw_begun found = {.n = 0};
    struct osw_journal_tail tail;
    int rc = -1;

    l.samples = malloc(OSW_RECORD_MAX_SAMPLES * sizeof(*l.samples));
    if (!l.samples) {
        no_memory(err);
        goto out;
    }
    if (add_session(&l, err) || osw_journal_scan(dir, add, &l, &tail, err) ||
        load_survivors(&l, dir, err) || osw_at_work_load(dir, &l.at_work, err))
        goto out;
    found.cells = malloc((l.n + 1) * sizeof(*found.cells));
    l.n_suspects = calloc(l.n_sessions, sizeof(*l.n_suspects));
    if (!found.cells || !l.n_suspects) {
        no_memory(err);
        goto out;
    }
    if (l.n)
        qsort(l.marks, l.n, sizeof(*l.marks), by_cell);
    sort_lost(&l);
    found.n_sessions = l.n_sessions;
    for (uint32_t i = 0; i < l.n_sessions; i++)
        found.n_died += !l.ended[i];
    keep_counting(&l);
    keep_at_work(&l);
    count(&l, &found);
    *out = found;
    rc = 0;
out:
    if (rc)
        free(found.cells);
    osw_at_work_free(&l.at_work);
    free(l.n_suspects);
    free(l.samples);
    free(l.marks);
    free(l.survivors);
    free(l.lost);
    free(l.ended);
    free(l.stopped);
    return rc;
}

void osw_begun_free(struct osw_begun *begun)
{
    free(begun->cells);
    *begun = (struct osw_begun){.n = 0};
}

static int find_cell(const void *key, const void *item)
{
    uint64_t cell = *(const uint64_t *)key;
    const struct osw_begun_cell *c = item;

    return cell < c->cell ? -1 : cell > c->cell;
}

uint32_t osw_begun_of(const struct osw_begun *begun, uint64_t cell)
{
    const struct osw_begun_cell *c =
        begun->n ? bsearch(&cell, begun->cells, begun->n, sizeof(*begun->cells),
                           find_cell)
                 : NULL;

    return c ? c->n : 0;
}
