/* results/history/history_load.c - a campaign's cells into a history */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ops/record/state.h"
#include "results/file/file_runs.h"
#include "results/file/file_sources.h"
#include "results/history/history.h"
#include "results/history/history_parts.h"

enum { SHORT_SHA = 12, N_PAIRS = 4096 };

/* One file on its way in. */
struct loading {
    osw_history_t *h;
    const osw_file_t *file;
    struct osw_compare_side side;
    uint32_t campaign;
    uint32_t *host;                 /* [rows] */
    int32_t *rank;                  /* [rows] */
    int64_t *started_ns;            /* [rows] when its attempt began */
    struct osw_run_source *sources; /* by op, then name */
    size_t n_sources;
    uint32_t *place_of_rank; /* [n_devices] of /devices; NONE: not yet */
    /* [N_PAIRS] of an op and an implementation, where their ids lead to: cells
     * come by key, in no order of ops.
     */
    struct digests {
        bool known;
        uint32_t op, impl; /* ids in the file */
        uint32_t source, rest;
    } * digests;
};

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory for the history");
}

static const char *path_of(const struct loading *l)
{
    return osw_file_info(l->file)->path;
}

/* --- what the campaign says of itself --- */

static int check_run(struct loading *l, const char *uuid, bool pinned,
                     struct osw_error *err)
{
    osw_history_t *h = l->h;
    uint32_t id;

    if (osw_history_intern(h, uuid, &id, err) < 0)
        return -1;
    for (size_t i = 0; i < h->n_runs; i++) {
        const struct osw_history_campaign *c =
            &h->campaigns[h->runs[i].campaign];

        if (h->runs[i].uuid == id && c->pinned == pinned)
            return osw_fail(err, OSW_BAD_INPUT,
                            "'%s' and '%s' are of the same campaign, %s",
                            osw_history_word(h, c->path), path_of(l), uuid);
    }
    if (osw_history_grow(&h->runs, &h->size_runs, h->n_runs, sizeof(*h->runs),
                         err) < 0)
        return -1;
    h->runs[h->n_runs++] = (struct osw_history_run){id, l->campaign};
    return 0;
}

static int check_runs(struct loading *l, bool pinned, struct osw_error *err)
{
    size_t n = 0;
    struct osw_file_run *runs = osw_file_runs(l->file, &n, err);
    int rc = runs ? 0 : -1;

    for (size_t i = 0; i < n && rc == 0; i++) {
        bool seen = false; /* merged of parts of one run */

        for (size_t k = 0; k < i; k++)
            seen = seen || strcmp(runs[k].run_uuid, runs[i].run_uuid) == 0;
        if (!seen)
            rc = check_run(l, runs[i].run_uuid, pinned, err);
    }
    if (rc == 0 && n > 1)
        rc = osw_history_note(l->h, err,
                              "'%s' is merged of %zu runs: it counts as one "
                              "campaign",
                              path_of(l), n);
    free(runs);
    return rc;
}

static int add_campaign(struct loading *l, bool pinned, struct osw_error *err)
{
    const struct osw_file_info *i = osw_file_info(l->file);
    const char *revision = osw_file_environment(l->file, "OPSWEEP_REVISION");
    osw_history_t *h = l->h;
    struct osw_history_campaign c = {.complete = i->complete, .pinned = pinned};

    if (!*i->created_utc)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s': attribute 'created_utc': expected when the "
                        "campaign began, found nothing",
                        i->path);
    if (h->v.n_campaigns == OSW_HISTORY_MAX_CAMPAIGNS)
        return osw_fail(err, OSW_BAD_INPUT, "more than %d campaigns",
                        OSW_HISTORY_MAX_CAMPAIGNS);
    if (check_runs(l, pinned, err) < 0 ||
        osw_history_intern(h, i->path, &c.path, err) < 0 ||
        osw_history_intern(h, i->run_uuid, &c.uuid, err) < 0 ||
        osw_history_intern(h, i->created_utc, &c.created, err) < 0 ||
        osw_history_intern(h, revision ? revision : "", &c.revision, err) < 0 ||
        osw_history_intern(h, i->tool_version, &c.tool, err) < 0 ||
        osw_history_intern(h, i->profile, &c.profile, err) < 0 ||
        osw_history_intern(h, i->hostname, &c.hostname, err) < 0 ||
        OSW_HISTORY_GROW(h, campaigns, err) < 0)
        return -1;
    h->campaigns[h->v.n_campaigns++] = c;
    return 0;
}

/* --- places --- */

/* The last session's device counts: of a resumed run a rank has several. */
static size_t find_device(const struct loading *l,
                          const struct osw_compare_cell *cell, size_t n,
                          const struct osw_file_device *d)
{
    for (size_t i = n; i-- > 0;)
        if (d[i].rank == l->rank[cell->row] &&
            d[i].host_id == l->host[cell->row] &&
            d[i].device_id == cell->device)
            return i;
    return n;
}

static struct osw_compare_floor floor_of(const struct loading *l,
                                         const struct osw_compare_cell *cell)
{
    return cell->device < l->side.n_floors
               ? l->side.floors[cell->device]
               : (struct osw_compare_floor){NAN, NAN};
}

static int add_place(struct loading *l, const struct osw_compare_cell *cell,
                     const struct osw_device_info *info, uint32_t *place,
                     struct osw_error *err)
{
    osw_history_t *h = l->h;
    struct osw_history_place p = {.campaign = l->campaign,
                                  .floor = floor_of(l, cell)};

    if (osw_history_intern(
            h, osw_file_text(l->file, OSW_DICT_HOST, l->host[cell->row]),
            &p.host, err) < 0 ||
        osw_history_intern(
            h, osw_file_text(l->file, OSW_DICT_DEVICE, cell->device), &p.model,
            err) < 0 ||
        osw_history_intern(h, info ? info->uuid : "", &p.uuid, err) < 0 ||
        osw_history_intern(h, info ? info->driver : "", &p.driver, err) < 0 ||
        osw_history_intern(h, info ? info->runtime : "", &p.runtime, err) < 0)
        return -1;
    for (size_t i = h->v.n_places; i-- > 0;) {
        const struct osw_history_place *q = &h->places[i];

        if (q->campaign != l->campaign)
            break;
        if (q->host == p.host && q->uuid == p.uuid && q->model == p.model &&
            q->driver == p.driver && q->runtime == p.runtime) {
            *place = (uint32_t)i;
            return 0;
        }
    }
    if (OSW_HISTORY_GROW(h, places, err) < 0)
        return -1;
    h->places[h->v.n_places] = p;
    *place = (uint32_t)h->v.n_places++;
    return 0;
}

static int find_place(struct loading *l, const struct osw_compare_cell *cell,
                      uint32_t *place, struct osw_error *err)
{
    size_t n;
    const struct osw_file_device *d = osw_file_devices(l->file, &n);
    size_t i = find_device(l, cell, n, d);

    if (i == n)
        return add_place(l, cell, NULL, place, err);
    if (l->place_of_rank[i] == OSW_HISTORY_NONE &&
        add_place(l, cell, &d[i].info, &l->place_of_rank[i], err) < 0)
        return -1;
    *place = l->place_of_rank[i];
    return 0;
}

/* --- sources --- */

static size_t stem_of(const char *file)
{
    const char *dot = strrchr(file, '.');

    return dot ? (size_t)(dot - file) : strlen(file);
}

static bool ends_in(const char *file, size_t stem, const char *impl)
{
    size_t n = strlen(impl);

    return stem > n && file[stem - n - 1] == '_' &&
           strncmp(file + stem - n, impl, n) == 0;
}

static void add_digest(struct osw_text *t, const struct osw_run_source *s)
{
    char hex[SHORT_SHA + 1];

    osw_file_sources_digits(s, SHORT_SHA, hex);
    osw_text_printf(t, "%s%s %s", t->used ? ", " : "", s->file, hex);
}

/* OP_IMPL.*: of "x_b" and "x_a_b" the implementation "b" is the shorter. */
static int find_digests(struct loading *l, const char *op, const char *impl,
                        struct digests *out, struct osw_error *err)
{
    struct osw_text own = OSW_TEXT_INIT, rest = OSW_TEXT_INIT;
    size_t shortest = SIZE_MAX;
    int rc = -1;

    for (size_t i = 0; i < l->n_sources; i++) {
        size_t stem = stem_of(l->sources[i].file);

        if (strcmp(l->sources[i].op, op) == 0 && stem < shortest &&
            ends_in(l->sources[i].file, stem, impl))
            shortest = stem;
    }
    for (size_t i = 0; i < l->n_sources; i++) {
        const struct osw_run_source *s = &l->sources[i];

        if (strcmp(s->op, op) != 0)
            continue;
        if (osw_file_sources_is_rest(s->file))
            add_digest(&rest, s);
        else if (stem_of(s->file) == shortest &&
                 ends_in(s->file, shortest, impl))
            add_digest(&own, s);
    }
    if (!osw_text_str(&own) || !osw_text_str(&rest))
        no_memory(err);
    else if (osw_history_intern(l->h, osw_text_str(&own), &out->source, err) ==
                 0 &&
             osw_history_intern(l->h, osw_text_str(&rest), &out->rest, err) ==
                 0)
        rc = 0;
    osw_text_free(&own);
    osw_text_free(&rest);
    return rc;
}

static const struct digests *digests_of(struct loading *l,
                                        const struct osw_compare_cell *cell,
                                        struct osw_error *err)
{
    uint32_t op = l->side.op[cell->row], impl = l->side.impl[cell->row];
    struct digests *d = &l->digests[(op * 31 + impl) % N_PAIRS];

    if (d->known && d->op == op && d->impl == impl)
        return d;
    *d = (struct digests){.op = op, .impl = impl};
    if (find_digests(l, osw_file_text(l->file, OSW_DICT_OP, op),
                     osw_file_text(l->file, OSW_DICT_IMPL, impl), d, err) < 0)
        return NULL;
    d->known = true;
    return d;
}

/* --- cells --- */

static bool is_wanted(const struct loading *l,
                      const struct osw_compare_cell *cell)
{
    const char *pattern = l->h->options.pattern;
    struct osw_text t = OSW_TEXT_INIT;
    bool wanted;

    if (!osw_state_known(cell->status) || cell->folder ||
        !osw_compare_side_judged(cell->status))
        return false;
    if (!pattern)
        return true;
    osw_text_printf(
        &t, "%s/%s", osw_file_text(l->file, OSW_DICT_OP, l->side.op[cell->row]),
        osw_file_text(l->file, OSW_DICT_IMPL, l->side.impl[cell->row]));
    wanted = osw_text_str(&t) &&
             osw_known_failures_matches(pattern, osw_text_str(&t));
    if (!wanted) {
        osw_text_printf(
            &t, "/%s",
            osw_file_text(l->file, OSW_DICT_CASE, l->side.of[cell->row]));
        wanted = osw_text_str(&t) &&
                 osw_known_failures_matches(pattern, osw_text_str(&t));
    }
    osw_text_free(&t);
    return wanted;
}

static int add_cell(struct loading *l, const struct osw_compare_cell *cell,
                    struct osw_error *err)
{
    osw_history_t *h = l->h;
    struct osw_history_cell c = {.key = cell->key};

    if (osw_history_intern(
            h, osw_file_text(l->file, OSW_DICT_OP, l->side.op[cell->row]),
            &c.op, err) < 0 ||
        osw_history_intern(
            h, osw_file_text(l->file, OSW_DICT_IMPL, l->side.impl[cell->row]),
            &c.impl, err) < 0 ||
        osw_history_intern(
            h, osw_file_text(l->file, OSW_DICT_CASE, l->side.of[cell->row]),
            &c.of, err) < 0 ||
        OSW_HISTORY_GROW(h, cells, err) < 0)
        return -1;
    h->cells[h->v.n_cells++] = c;
    return 0;
}

static int add_point(struct loading *l, const struct osw_compare_cell *cell,
                     uint32_t number, struct osw_error *err)
{
    osw_history_t *h = l->h;
    bool timed = cell->median_ns > 0 && isfinite(cell->median_ns) &&
                 osw_compare_side_passes(cell->status) && !cell->suspect;
    const struct digests *digests;
    struct osw_history_point p = {
        .cell = number,
        .x = timed ? (float)log(cell->median_ns) : NAN,
        .half = cell->half,
        .status = cell->status,
        .timer = cell->timer,
        .cold = cell->cold,
        .throttled = cell->throttled,
    };

    if (h->v.n_points == OSW_HISTORY_MAX_POINTS)
        return osw_fail(err, OSW_BAD_INPUT,
                        "more than %d results in all: --cell or --last choose "
                        "fewer",
                        OSW_HISTORY_MAX_POINTS);
    if (find_place(l, cell, &p.place, err) < 0 ||
        !(digests = digests_of(l, cell, err)) ||
        OSW_HISTORY_GROW(h, points, err) < 0)
        return -1;
    p.source = digests->source;
    p.rest = digests->rest;
    h->points[h->v.n_points++] = p;
    h->campaigns[l->campaign].n_judged++;
    return 0;
}

static int add_broken(struct loading *l, struct osw_error *err)
{
    osw_history_t *h = l->h;
    size_t had = h->n_broken, n;

    for (size_t i = 0; i < l->side.n; i++) {
        if (!l->side.cells[i].broken)
            continue;
        if (osw_history_grow(&h->broken, &h->size_broken, h->n_broken,
                             sizeof(*h->broken), err) < 0)
            return -1;
        h->broken[h->n_broken++] = (struct osw_history_broken){
            l->side.cells[i].key, h->campaigns[l->campaign].path};
    }
    n = h->n_broken - had;
    return n == 0 ? 0
                  : osw_history_note(h, err,
                                     "'%s': %zu cell%s skipped as broken and "
                                     "not compared (--keep-going judges on)",
                                     path_of(l), n, n == 1 ? " was" : "s were");
}

/* The file's cells and those that are known, both by key, in step. */
static int add_cells(struct loading *l, struct osw_error *err)
{
    osw_history_t *h = l->h;
    size_t had = h->v.n_cells, at = 0, n = 0;
    uint32_t *merged = malloc((had + l->side.n + 1) * sizeof(*merged));
    int rc = merged ? 0 : no_memory(err);

    for (size_t i = 0; i < l->side.n && rc == 0; i++) {
        const struct osw_compare_cell *cell = &l->side.cells[i];
        uint32_t number;

        if (!is_wanted(l, cell))
            continue;
        while (at < had && h->cells[h->by_key[at]].key < cell->key)
            merged[n++] = h->by_key[at++];
        if (at < had && h->cells[h->by_key[at]].key == cell->key) {
            number = h->by_key[at++];
        } else {
            number = (uint32_t)h->v.n_cells;
            rc = add_cell(l, cell, err);
        }
        merged[n++] = number;
        if (rc == 0)
            rc = add_point(l, cell, number, err);
    }
    if (rc < 0) {
        free(merged);
        return rc;
    }
    while (at < had)
        merged[n++] = h->by_key[at++];
    free(h->by_key);
    h->by_key = merged;
    return 0;
}

/* --- the whole --- */

static int read_columns(struct loading *l, struct osw_error *err)
{
    size_t n_devices, n = osw_file_info(l->file)->n_results;

    (void)osw_file_devices(l->file, &n_devices);
    l->host = malloc(4 * n + 1);
    l->rank = malloc(4 * n + 1);
    l->place_of_rank = malloc(n_devices * sizeof(*l->place_of_rank) + 1);
    l->digests = calloc(N_PAIRS, sizeof(*l->digests));
    l->started_ns = malloc(8 * n + 1);
    if (!l->host || !l->rank || !l->started_ns || !l->place_of_rank ||
        !l->digests)
        return no_memory(err);
    for (size_t i = 0; i < n_devices; i++)
        l->place_of_rank[i] = OSW_HISTORY_NONE;
    return osw_file_column(l->file, "host_id", OSW_COLUMN_u32, l->host, err) <
                       0 ||
                   osw_file_column(l->file, "rank", OSW_COLUMN_i32, l->rank,
                                   err) < 0 ||
                   osw_file_column(l->file, "t_start_ns", OSW_COLUMN_i64,
                                   l->started_ns, err) < 0
               ? -1
               : 0;
}

/* When the first result of the campaign began. */
static int64_t started(const struct loading *l)
{
    size_t n = osw_file_info(l->file)->n_results;
    int64_t first = INT64_MAX;

    for (size_t i = 0; i < n; i++)
        if (l->started_ns[i] > 0 && l->started_ns[i] < first)
            first = l->started_ns[i];
    return first;
}

/* Undo what was added of a campaign that could not be read. */
static void roll_back(osw_history_t *h, const struct osw_history *had)
{
    h->v.n_campaigns = had->v.n_campaigns;
    h->v.n_places = had->v.n_places;
    h->v.n_cells = had->v.n_cells;
    h->v.n_points = had->v.n_points;
    h->n_runs = had->n_runs;
    h->n_broken = had->n_broken;
}

static int add_file(struct loading *l, bool pinned, struct osw_error *err)
{
    struct osw_history_campaign *c;

    if (add_campaign(l, pinned, err) < 0 ||
        osw_compare_side_read(l->file, &l->side, err) < 0 ||
        read_columns(l, err) < 0 ||
        osw_file_sources(l->file, &l->sources, &l->n_sources, err) < 0 ||
        add_cells(l, err) < 0 || add_broken(l, err) < 0)
        return -1;
    c = &l->h->campaigns[l->campaign];
    c->complete = l->side.whole;
    c->started_ns = started(l);
    if (c->n_judged == 0 &&
        osw_history_note(l->h, err, "'%s': no cell %swas judged in it",
                         path_of(l),
                         l->h->options.pattern ? "of --cell " : "") < 0)
        return -1;
    if (l->side.n_suspect &&
        osw_history_note(l->h, err,
                         "'%s': %zu cell%s suspect, without times here: the "
                         "device failed afterwards",
                         path_of(l), l->side.n_suspect,
                         l->side.n_suspect == 1 ? " is" : "s are") < 0)
        return -1;
    if (l->side.n_twice &&
        osw_history_note(l->h, err,
                         "'%s': cells that came twice: the first of them "
                         "counts",
                         path_of(l)) < 0)
        return -1;
    if (l->side.n_lost &&
        osw_history_note(l->h, err,
                         "'%s': %zu cell%s lost: opsweep run --resume judges "
                         "what was lost",
                         path_of(l), l->side.n_lost,
                         l->side.n_lost == 1 ? " was" : "s were") < 0)
        return -1;
    return osw_file_info(l->file)->complete
               ? 0
               : osw_history_note(l->h, err, "'%s' is incomplete", path_of(l));
}

int osw_history_add(osw_history_t *h, const osw_file_t *file, bool pinned,
                    struct osw_error *err)
{
    const struct osw_history had = *h;
    struct loading l = {
        .h = h,
        .file = file,
        .campaign = (uint32_t)h->v.n_campaigns,
    };
    int rc = add_file(&l, pinned, err);

    if (rc < 0)
        roll_back(h, &had);
    osw_compare_side_free(&l.side);
    free(l.host);
    free(l.rank);
    free(l.started_ns);
    free(l.sources);
    free(l.place_of_rank);
    free(l.digests);
    return rc;
}
