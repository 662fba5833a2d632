/* results/begun.c - cells that were begun and never ended, by sessions */
#include "results/begun.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ops/record.h"
#include "results/entry.h"
#include "results/journal.h"

/* A BEGIN or RESULT. */
struct mark {
    uint64_t cell;
    uint32_t session;
    bool result;
};

struct loading {
    struct mark *marks; /* [n] */
    size_t n, size;
    bool *ended; /* [n_sessions] */
    uint32_t n_sessions;
    float *samples; /* [OSW_RECORD_MAX_SAMPLES], for the decoder */
};

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory to read the journal");
}

static int add_mark(struct loading *l, uint64_t cell, bool result,
                    struct osw_error *err)
{
    if (l->n == l->size) {
        size_t size = l->size ? 2 * l->size : 1024;
        struct mark *p = realloc(l->marks, size * sizeof(*p));

        if (!p)
            return no_memory(err);
        l->marks = p;
        l->size = size;
    }
    l->marks[l->n++] = (struct mark){cell, l->n_sessions - 1, result};
    return 0;
}

static int add_session(struct loading *l, struct osw_error *err)
{
    bool *p = realloc(l->ended, (l->n_sessions + 1) * sizeof(*p));

    if (!p)
        return no_memory(err);
    l->ended = p;
    l->ended[l->n_sessions++] = false;
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
        return add_mark(l, e.begin.cell, false, err);
    if (e.type == OSW_ENTRY_RESULT)
        return add_mark(l, e.result.cell, true, err);
    if (e.type == OSW_ENTRY_END)
        l->ended[l->n_sessions - 1] = true;
    if (e.type == OSW_ENTRY_EVENT && e.event.kind == OSW_EVENT_RESUME)
        return add_session(l, err);
    return 0;
}

/* By cell, then session; in each, results first. */
static int by_cell(const void *a, const void *b)
{
    const struct mark *x = a, *y = b;

    if (x->cell != y->cell)
        return x->cell < y->cell ? -1 : 1;
    if (x->session != y->session)
        return x->session < y->session ? -1 : 1;
    return (int)y->result - (int)x->result;
}

/* Keep the first mark of each cell and session, if it is a BEGIN that a death
 * left open.
 */
static void count(const struct loading *l, struct osw_begun *out)
{
    for (size_t i = 0; i < l->n; i++) {
        const struct mark *m = &l->marks[i];

        if (i > 0 && m[-1].cell == m->cell && m[-1].session == m->session)
            continue;
        if (m->result || l->ended[m->session])
            continue;
        if (out->n && out->cells[out->n - 1].cell == m->cell)
            out->cells[out->n - 1].n++;
        else
            out->cells[out->n++] = (struct osw_begun_cell){m->cell, 1};
    }
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
    if (add_session(&l, err) || osw_journal_scan(dir, add, &l, &tail, err))
        goto out;
    found.cells = malloc((l.n + 1) * sizeof(*found.cells));
    if (!found.cells) {
        no_memory(err);
        goto out;
    }
    if (l.n)
        qsort(l.marks, l.n, sizeof(*l.marks), by_cell);
    found.n_sessions = l.n_sessions;
    for (uint32_t i = 0; i < l.n_sessions; i++)
        found.n_died += !l.ended[i];
    count(&l, &found);
    *out = found;
    rc = 0;
out:
    free(l.samples);
    free(l.marks);
    free(l.ended);
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
