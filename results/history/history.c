/* results/history/history.c - many campaigns, cell by cell */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "results/history/history.h"
#include "results/history/history_parts.h"

enum { MAX_NOTES = 1000 };

static const struct {
    const char *name, *text;
} kinds[OSW_HISTORY_N_KINDS] = {
#define X(NAME, name, text) {name, text},
    OSW_HISTORY_MAP(X)
#undef X
};

const char *osw_history_name(enum osw_history_kind kind)
{
    return kinds[kind].name;
}

const char *osw_history_text(enum osw_history_kind kind)
{
    return kinds[kind].text;
}

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory for the history");
}

/* --- parts --- */

int osw_history_grow(void *array, size_t *size, size_t n, size_t item,
                     struct osw_error *err)
{
    void **at = array, *grown;
    size_t more = *size ? 2 * *size : 64;

    if (n < *size)
        return 0;
    grown = realloc(*at, more * item);
    if (!grown)
        return no_memory(err);
    *at = grown;
    *size = more;
    return 0;
}

int osw_history_intern(osw_history_t *h, const char *text, uint32_t *id,
                       struct osw_error *err)
{
    bool is_new;

    return osw_dicts_intern(h->words, OSW_DICT_OUTPUT, text, id, &is_new, err);
}

const char *osw_history_word(const osw_history_t *h, uint32_t id)
{
    const char *text = osw_dicts_text(h->words, OSW_DICT_OUTPUT, id);

    return text ? text : "?";
}

int osw_history_note(osw_history_t *h, struct osw_error *err, const char *fmt,
                     ...)
{
    char text[1024];
    va_list ap;

    if (h->v.n_notes == MAX_NOTES)
        return 0;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    for (size_t i = 0; i < h->v.n_notes; i++)
        if (strcmp(h->notes[i], text) == 0)
            return 0;
    if (OSW_HISTORY_GROW(h, notes, err) < 0)
        return -1;
    h->notes[h->v.n_notes] = strdup(text);
    return h->notes[h->v.n_notes] ? (h->v.n_notes++, 0) : no_memory(err);
}

struct osw_history_finding *osw_history_found(osw_history_t *h,
                                              enum osw_history_kind kind,
                                              struct osw_error *err)
{
    struct osw_history_finding *f;

    if (OSW_HISTORY_GROW(h, findings, err) < 0)
        return NULL;
    f = &h->findings[h->v.n_findings++];
    *f = (struct osw_history_finding){
        .kind = kind,
        .cell = OSW_HISTORY_NONE,
        .before = OSW_HISTORY_NONE,
        .since = OSW_HISTORY_NONE,
        .effect = NAN,
        .half = NAN,
        .p = NAN,
        .was_ns = NAN,
        .now_ns = NAN,
        .known = -1,
        .expired = -1,
    };
    return f;
}

int osw_history_found_at(osw_history_t *h, const struct osw_history_at *at,
                         struct osw_error *err)
{
    if (osw_history_grow(&h->ats, &h->size_ats, h->n_ats, sizeof(*h->ats),
                         err) < 0)
        return -1;
    h->ats[h->n_ats++] = *at;
    return 0;
}

/* Is it the class (timer, cold) of point p? */
static bool is_timed(const struct osw_history_point *p)
{
    return !isnan(p->x) && !p->throttled;
}

static size_t class_of(const struct osw_history_point *p)
{
    return 2 * (size_t)p->timer + p->cold;
}

size_t osw_history_timed(osw_history_t *h, const struct osw_history_series *s,
                         size_t *class, size_t *n_pinned)
{
    size_t next = SIZE_MAX, n = 0;

    for (size_t i = s->first; i < s->first + s->n; i++) {
        size_t c = class_of(&h->points[i]);

        if (is_timed(&h->points[i]) && c >= *class && c < next)
            next = c;
    }
    *class = next == SIZE_MAX ? next : next + 1;
    *n_pinned = 0;
    for (size_t i = s->first; i < s->first + s->n && next != SIZE_MAX; i++)
        if (is_timed(&h->points[i]) && class_of(&h->points[i]) == next) {
            *n_pinned += osw_history_pinned(h, i);
            h->index[n++] = (uint32_t)i;
        }
    return n;
}

/* --- order --- */

static int by_time(const void *a, const void *b, void *arg)
{
    const osw_history_t *h = arg;
    const struct osw_history_campaign *x = &h->campaigns[*(const uint32_t *)a];
    const struct osw_history_campaign *y = &h->campaigns[*(const uint32_t *)b];
    int order = strcmp(osw_history_word(h, x->created),
                       osw_history_word(h, y->created));

    if (x->pinned != y->pinned)
        return x->pinned ? -1 : 1;
    if (order)
        return order;
    if (x->started_ns != y->started_ns)
        return x->started_ns < y->started_ns ? -1 : 1;
    return strverscmp(osw_history_word(h, x->path),
                      osw_history_word(h, y->path));
}

/* Of more campaigns than are wanted the newest stay. */
static size_t first_wanted(const osw_history_t *h, const uint32_t *order)
{
    size_t n = h->v.n_campaigns, n_pinned = 0;

    while (n_pinned < n && h->campaigns[order[n_pinned]].pinned)
        n_pinned++;
    return h->options.last && n - n_pinned > h->options.last
               ? n - h->options.last
               : n_pinned;
}

static void drop_points(osw_history_t *h, const uint32_t *rank)
{
    size_t kept = 0;

    for (size_t i = 0; i < h->v.n_points; i++)
        if (rank[h->places[h->points[i].place].campaign] != OSW_HISTORY_NONE)
            h->points[kept++] = h->points[i];
    h->v.n_points = kept;
}

/* Sort campaigns by time, pinned ones first; places refer to this order. */
static int order_campaigns(osw_history_t *h, struct osw_error *err)
{
    size_t n = h->v.n_campaigns, first, kept = 0;
    uint32_t *order = malloc((2 * n + 1) * sizeof(*order)), *rank = order + n;
    struct osw_history_campaign *sorted = malloc((n + 1) * sizeof(*sorted));

    if (!order || !sorted) {
        free(order);
        free(sorted);
        return no_memory(err);
    }
    for (size_t i = 0; i < n; i++)
        order[i] = (uint32_t)i;
    qsort_r(order, n, sizeof(*order), by_time, h);
    first = first_wanted(h, order);
    for (size_t i = 0; i < n; i++) {
        bool wanted = i >= first || h->campaigns[order[i]].pinned;

        rank[order[i]] = wanted ? (uint32_t)kept : OSW_HISTORY_NONE;
        if (wanted)
            sorted[kept++] = h->campaigns[order[i]];
    }
    drop_points(h, rank);
    for (size_t i = 0; i < h->v.n_places; i++)
        h->places[i].campaign = rank[h->places[i].campaign];
    free(h->campaigns);
    h->campaigns = sorted;
    h->size_campaigns = n + 1;
    h->v.n_campaigns = kept;
    free(order);
    return 0;
}

static int by_series(const void *a, const void *b, void *arg)
{
    const osw_history_t *h = arg;
    const struct osw_history_point *x = a, *y = b;
    const struct osw_history_place *p = &h->places[x->place];
    const struct osw_history_place *q = &h->places[y->place];

    if (x->cell != y->cell)
        return x->cell < y->cell ? -1 : 1;
    if (p->model != q->model)
        return p->model < q->model ? -1 : 1;
    return (p->campaign > q->campaign) - (p->campaign < q->campaign);
}

static bool is_first(const osw_history_t *h, size_t i)
{
    return i == 0 || h->points[i].cell != h->points[i - 1].cell ||
           h->places[h->points[i].place].model !=
               h->places[h->points[i - 1].place].model;
}

static int make_series(osw_history_t *h, struct osw_error *err)
{
    size_t n = 0, longest = h->v.n_places;

    if (h->v.n_points)
        qsort_r(h->points, h->v.n_points, sizeof(*h->points), by_series, h);
    for (size_t i = 0; i < h->v.n_points; i++) {
        n += is_first(h, i);
        h->v.n_followed += i == 0 || h->points[i].cell != h->points[i - 1].cell;
    }
    h->series = malloc((n + 1) * sizeof(*h->series));
    if (!h->series)
        return no_memory(err);
    for (size_t i = 0; i < h->v.n_points; i++) {
        if (is_first(h, i))
            h->series[h->v.n_series++] =
                (struct osw_history_series){.first = i, .n = 0};
        if (++h->series[h->v.n_series - 1].n > longest)
            longest = h->series[h->v.n_series - 1].n;
    }
    h->when = malloc((longest + 1) * sizeof(*h->when));
    h->where = malloc((longest + 1) * sizeof(*h->where));
    h->index = malloc((longest + 1) * sizeof(*h->index));
    h->at = malloc((longest + 1) * sizeof(*h->at));
    h->scratch = (struct osw_changes_series){
        .when = h->when,
        .place = h->where,
        .x = malloc((longest + 1) * sizeof(float)),
        .scratch = malloc((longest + 1) * sizeof(float)),
    };
    return h->when && h->where && h->index && h->at && h->scratch.x &&
                   h->scratch.scratch
               ? 0
               : no_memory(err);
}

/* --- models --- */

static int add_model(osw_history_t *h, uint32_t model,
                     struct osw_history_model **out, struct osw_error *err)
{
    for (size_t i = 0; i < h->n_models; i++)
        if (h->models[i].model == model) {
            *out = &h->models[i];
            return 0;
        }
    if (osw_history_grow(&h->models, &h->size_models, h->n_models,
                         sizeof(*h->models), err) < 0)
        return -1;
    *out = &h->models[h->n_models++];
    **out =
        (struct osw_history_model){model, OSW_HISTORY_NONE, OSW_HISTORY_NONE};
    return 0;
}

/* A pinned campaign is what the newest is held against, if there is one. */
static int find_models(osw_history_t *h, struct osw_error *err)
{
    bool pinned = h->v.n_campaigns && h->campaigns[0].pinned;

    for (size_t i = 0; i < h->v.n_points; i++) {
        const struct osw_history_place *p =
            osw_history_place_of(h, (uint32_t)i);
        struct osw_history_model *m;

        if (add_model(h, p->model, &m, err) < 0)
            return -1;
        if (h->campaigns[p->campaign].pinned)
            m->before = p->campaign;
        else if (m->newest == OSW_HISTORY_NONE || p->campaign > m->newest)
            m->newest = p->campaign;
    }
    for (size_t i = 0; i < h->v.n_points; i++) {
        const struct osw_history_place *p =
            osw_history_place_of(h, (uint32_t)i);
        struct osw_history_model *m;

        if (add_model(h, p->model, &m, err) < 0)
            return -1;
        if ((pinned && m->before != OSW_HISTORY_NONE &&
             h->campaigns[m->before].pinned) ||
            p->campaign == m->newest)
            continue;
        if (m->before == OSW_HISTORY_NONE || p->campaign > m->before)
            m->before = p->campaign;
    }
    return 0;
}

const struct osw_history_model *osw_history_model_of(const osw_history_t *h,
                                                     uint32_t model)
{
    size_t i = 0;

    while (h->models[i].model != model)
        i++;
    return &h->models[i];
}

/* --- findings --- */

/* Is it in the file of known things?  Both names of a place count. */
static void look_up(osw_history_t *h, osw_known_failures_t *known,
                    struct osw_history_finding *f)
{
    uint32_t since = osw_history_since(h, f);
    struct osw_known_failures_thing t = {
        .kind = osw_history_name(f->kind),
        .since = since == OSW_HISTORY_NONE
                     ? NULL
                     : osw_history_word(h, h->campaigns[since].uuid),
        .effect = f->effect,
    };

    if (f->cell != OSW_HISTORY_NONE) {
        const struct osw_history_cell *c = &h->cells[f->cell];

        t.op = osw_history_word(h, c->op);
        t.impl = osw_history_word(h, c->impl);
        t.of = osw_history_word(h, c->of);
        f->known = osw_known_failures_find(known, &t, &f->expired);
        return;
    }
    t.place = f->kind == OSW_HISTORY_PLACE ? osw_history_word(h, f->host)
                                           : osw_history_word(h, f->model);
    f->known = osw_known_failures_find(known, &t, &f->expired);
    if (f->kind == OSW_HISTORY_PLACE && f->uuid != OSW_HISTORY_NONE) {
        int by_uuid, expired;

        t.place = osw_history_word(h, f->uuid);
        by_uuid = osw_known_failures_find(known, &t, &expired);
        if (f->known < 0 && (by_uuid >= 0 || expired >= 0)) {
            f->known = by_uuid;
            f->expired = expired;
        }
    }
}

static int by_gravity(const void *a, const void *b, void *arg)
{
    const osw_history_t *h = arg;
    const struct osw_history_finding *x = a, *y = b;
    uint32_t p = osw_history_since(h, x), q = osw_history_since(h, y);
    double d = fabs(x->effect), e = fabs(y->effect);

    if ((x->known < 0) != (y->known < 0))
        return x->known < 0 ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (p != q)
        return p > q ? -1 : 1; /* the newest first */
    if (d != e && !isnan(d) && !isnan(e))
        return d > e ? -1 : 1;
    return (x->cell > y->cell) - (x->cell < y->cell);
}

static int note_known(osw_history_t *h, const osw_known_failures_t *known,
                      struct osw_error *err)
{
    size_t n;
    const struct osw_known_failures_entry *e =
        osw_known_failures_entries(known, &n);
    int rc = 0;

    for (size_t i = 0; i < n && rc == 0; i++) {
        const char *what = e[i].cell ? e[i].cell : e[i].place;

        if (e[i].n_found == 0)
            rc = osw_history_note(h, err,
                                  "known: entry %zu, '%s': nothing of it is "
                                  "there any more%s",
                                  i, what, e[i].expired ? ", and expired" : "");
        else if (e[i].expired)
            rc = osw_history_note(h, err,
                                  "known: entry %zu, '%s', expired on %s and "
                                  "counts again: %s",
                                  i, what, e[i].expires, e[i].reason);
    }
    return rc;
}

/* Is it of a cell that its model's newest campaign does not have any more?
 * While that one is incomplete, the cell may still come.
 */
static bool is_past(const osw_history_t *h, const struct osw_history_finding *f)
{
    const struct osw_history_model *m;

    if (f->cell == OSW_HISTORY_NONE || f->kind == OSW_HISTORY_GONE)
        return false;
    m = osw_history_model_of(h, f->model);
    return m->newest != OSW_HISTORY_NONE && h->campaigns[m->newest].complete &&
           !osw_history_judged_in(
               h, f->since == OSW_HISTORY_NONE ? f->before : f->since,
               m->newest);
}

/* What happened to cells before they were gone is no news. */
static int drop_past(osw_history_t *h, struct osw_error *err)
{
    size_t kept = 0, n;

    for (size_t i = 0; i < h->v.n_findings; i++)
        if (!is_past(h, &h->findings[i]))
            h->findings[kept++] = h->findings[i];
    n = h->v.n_findings - kept;
    h->v.n_findings = kept;
    return n == 0 ? 0
                  : osw_history_note(
                        h, err,
                        "%zu change%s of cells that the newest campaign does "
                        "not have: left out",
                        n, n == 1 ? "" : "s");
}

static int sum_up(osw_history_t *h, osw_known_failures_t *known,
                  struct osw_error *err)
{
    if (drop_past(h, err) < 0)
        return -1;
    for (size_t i = 0; i < h->v.n_findings; i++) {
        struct osw_history_finding *f = &h->findings[i];

        if (known)
            look_up(h, known, f);
        if (f->known < 0)
            h->v.n_kind[f->kind]++;
        else
            h->v.n_known++;
    }
    if (h->v.n_findings)
        qsort_r(h->findings, h->v.n_findings, sizeof(*h->findings), by_gravity,
                h);
    h->v.known = known;
    return known ? note_known(h, known, err) : 0;
}

int osw_history_judge(osw_history_t *h, osw_known_failures_t *known,
                      struct osw_error *err)
{
    return order_campaigns(h, err) < 0 || make_series(h, err) < 0 ||
                   find_models(h, err) < 0 || osw_history_shift(h, err) < 0 ||
                   osw_history_common(h, err) < 0 ||
                   osw_history_times(h, err) < 0 ||
                   osw_history_states(h, err) < 0 ||
                   osw_history_gather_places(h, err) < 0
               ? -1
               : sum_up(h, known, err);
}

/* --- the whole --- */

osw_history_t *osw_history_create(const struct osw_history_options *options,
                                  struct osw_error *err)
{
    osw_history_t *h = calloc(1, sizeof(*h));

    if (h) {
        h->options = *options;
        h->words = osw_dicts_create();
    }
    if (h && h->words)
        return h;
    free(h);
    no_memory(err);
    return NULL;
}

void osw_history_destroy(osw_history_t *h)
{
    if (!h)
        return;
    osw_dicts_destroy(h->words);
    free(h->campaigns);
    free(h->places);
    free(h->cells);
    free(h->by_key);
    free(h->points);
    free(h->series);
    free(h->findings);
    free(h->runs);
    free(h->ats);
    free(h->broken);
    free(h->ps);
    for (size_t i = 0; i < h->v.n_notes; i++)
        free(h->notes[i]);
    free(h->notes);
    free(h->when);
    free(h->where);
    free(h->index);
    free(h->at);
    free(h->models);
    free(h->scratch.x);
    free(h->scratch.scratch);
    free(h);
}

struct osw_history_view osw_history_view(const osw_history_t *h)
{
    struct osw_history_view v = h->v;

    v.campaigns = h->campaigns;
    v.places = h->places;
    v.cells = h->cells;
    v.points = h->points;
    v.series = h->series;
    v.findings = h->findings;
    v.notes = h->notes;
    return v;
}
