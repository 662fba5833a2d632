/* mpi_runner/export/choose.c - which implementations of an op are exported */
#include "mpi_runner/export/choose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ops/build/file_hash.h"
#include "results/file/file_sources.h"

/* --- reading --- */

enum { CHUNK = 16384 };

/* A cell that passed and was timed. */
struct timed {
    uint32_t case_id;
    size_t impl; /* in the list */
    double ns;
};

struct reading {
    osw_arena_t *arena;
    const osw_file_t *file;
    const struct osw_op *op;
    const char *device;
    struct osw_judged *list;
    size_t n, room;
    struct timed *timed;
    size_t n_timed, timed_room;
    struct osw_error *err;
};

static bool is_on(const struct reading *r, uint32_t device_id)
{
    size_t n;
    const struct osw_file_device *all = osw_file_devices(r->file, &n);

    for (size_t i = 0; i < n; i++)
        if (all[i].device_id == device_id)
            return strcmp(all[i].info.kind, r->device) == 0;
    return false;
}

/* The list's entry of an implementation, which is made; r->n: no memory. */
static size_t entry_of(struct reading *r, const char *impl)
{
    size_t i = 0;

    while (i < r->n && strcmp(r->list[i].impl, impl) != 0)
        i++;
    if (i < r->n || r->n == r->room)
        return i;
    r->list[r->n++] = (struct osw_judged){.impl = impl, .slowdown = NAN};
    return i;
}

static int take(struct reading *r, const struct osw_record *c)
{
    enum osw_state_group group = osw_state_group(c->status_id);
    size_t i;

    if (!is_on(r, c->device_id) ||
        !osw_op_is_called(r->op, osw_file_text(r->file, OSW_DICT_OP, c->op_id)))
        return 0;
    i = entry_of(r, osw_file_text(r->file, OSW_DICT_IMPL, c->impl_id));
    if (i == r->n)
        return 0; /* the folder has fewer files than that */
    if (group == OSW_GROUP_FAIL || group == OSW_GROUP_ERROR)
        if (r->list[i].n_bad++ == 0)
            r->list[i].bad_state = c->status_id;
    if (group != OSW_GROUP_PASS)
        return 0;
    r->list[i].n_pass++;
    if (!(c->t_median_ns > 0))
        return 0;
    if (r->n_timed == r->timed_room) {
        size_t room = r->timed_room ? 2 * r->timed_room : 256;
        struct timed *more = realloc(r->timed, room * sizeof(*more));

        if (!more)
            return osw_fail(r->err, OSW_NO_MEMORY, "no memory for times");
        r->timed = more;
        r->timed_room = room;
    }
    r->timed[r->n_timed++] = (struct timed){c->case_id, i, c->t_median_ns};
    return 0;
}

static int read_cells(struct reading *r)
{
    uint64_t n = osw_file_info(r->file)->n_results;
    struct osw_record *rows = malloc(CHUNK * sizeof(*rows));
    int rc =
        rows ? 0 : osw_fail(r->err, OSW_NO_MEMORY, "no memory for results");

    for (uint64_t at = 0; rc == 0 && at < n; at += CHUNK) {
        size_t some = n - at < CHUNK ? (size_t)(n - at) : CHUNK;

        rc = osw_file_records(r->file, at, some, rows, r->err);
        for (size_t i = 0; rc == 0 && i < some; i++)
            rc = take(r, &rows[i]);
    }
    free(rows);
    return rc;
}

/* --- comparing --- */

static int by_case(const void *a, const void *b)
{
    const struct timed *x = a, *y = b;

    return (x->case_id > y->case_id) - (x->case_id < y->case_id);
}

/* Over all cases: the mean of log(time / the best time of the case), among
 * implementations without a bad cell.
 */
static void rate(struct reading *r)
{
    for (size_t i = 0; i < r->n; i++)
        r->list[i].slowdown = 0;
    if (r->n_timed)
        qsort(r->timed, r->n_timed, sizeof(*r->timed), by_case);
    for (size_t at = 0, end; at < r->n_timed; at = end) {
        double best = INFINITY;

        for (end = at;
             end < r->n_timed && r->timed[end].case_id == r->timed[at].case_id;
             end++)
            if (!r->list[r->timed[end].impl].n_bad)
                best = fmin(best, r->timed[end].ns);
        for (size_t k = at; k < end; k++) {
            r->list[r->timed[k].impl].slowdown += log(r->timed[k].ns / best);
            r->list[r->timed[k].impl].n_timed++;
        }
    }
    for (size_t i = 0; i < r->n; i++)
        r->list[i].slowdown =
            r->list[i].n_timed
                ? exp(r->list[i].slowdown / (double)r->list[i].n_timed)
                : NAN;
}

static bool is_good(const struct osw_judged *j)
{
    return j->n_bad == 0 && j->n_pass > 0;
}

/* Good ones first, those with times before those without. */
static int by_merit(const void *a, const void *b)
{
    const struct osw_judged *x = a, *y = b;
    bool gx = is_good(x), gy = is_good(y);
    bool tx = x->n_timed > 0, ty = y->n_timed > 0;

    if (gx != gy)
        return gx ? -1 : 1;
    if (tx != ty)
        return tx ? -1 : 1;
    if (tx && x->slowdown != y->slowdown)
        return x->slowdown < y->slowdown ? -1 : 1;
    return strcmp(x->impl, y->impl);
}

int osw_judged_read(osw_arena_t *arena, const osw_file_t *file,
                    const struct osw_op *op, enum osw_export_device device,
                    struct osw_judged **out, size_t *n, struct osw_error *err)
{
    struct reading r = {.arena = arena,
                        .file = file,
                        .op = op,
                        .device = osw_export_device_name(device),
                        .room = osw_file_dict_count(file, OSW_DICT_IMPL),
                        .err = err};
    int rc;

    r.list = osw_arena_array(arena, r.room + 1, sizeof(*r.list));
    if (!r.list)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for results");
    rc = read_cells(&r);
    if (rc == 0) {
        rate(&r);
        qsort(r.list, r.n, sizeof(*r.list), by_merit);
        *out = r.list;
        *n = r.n;
    }
    free(r.timed);
    return rc;
}

/* --- choosing --- */

/* Is the file another one than the run recorded?  Headers are not looked at. */
static int has_changed(const osw_file_t *file, const struct osw_op *op,
                       const struct osw_op_file *f, bool *changed,
                       struct osw_error *err)
{
    struct osw_run_source *list = NULL;
    struct osw_file_hash now;
    size_t n = 0;
    int rc = osw_file_sources(file, &list, &n, err);

    *changed = false;
    if (rc == 0)
        rc = osw_file_hash(f->path, &now, err);
    for (size_t i = 0; rc == 0 && i < n; i++)
        if (strcmp(list[i].file, f->file) == 0 &&
            osw_op_is_called(op, list[i].op))
            *changed =
                memcmp(list[i].sha256, now.sha256, sizeof(now.sha256)) != 0;
    free(list);
    return rc;
}

static bool is_buildable(const struct osw_op_file *f,
                         enum osw_export_device device)
{
    return strcmp(f->language->suffix,
                  device == OSW_EXPORT_CPU ? ".c" : ".cu") == 0 &&
           !f->shared && !f->beside;
}

static const struct osw_op_file *buildable(const struct osw_op *op,
                                           enum osw_export_device device,
                                           const char *name)
{
    const struct osw_op_file *f = osw_op_impl(op, name);

    return f && is_buildable(f, device) ? f : NULL;
}

static void add(struct osw_export_impl *list, size_t *n,
                const struct osw_op_file *file, const char *why)
{
    for (size_t i = 0; i < *n; i++)
        if (list[i].file == file)
            return;
    list[(*n)++] =
        (struct osw_export_impl){.file = file, .why = why ? why : ""};
}

static bool was_judged(const struct osw_judged *all, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(all[i].impl, name) == 0 && (all[i].n_bad || all[i].n_pass))
            return true;
    return false;
}

static const char *verdict(osw_arena_t *arena, const struct osw_judged *j)
{
    return j->n_timed
               ? osw_arena_printf(arena,
                                  "%llu cells passed, none failed; %.2f times "
                                  "the best time in %llu",
                                  (unsigned long long)j->n_pass, j->slowdown,
                                  (unsigned long long)j->n_timed)
               : osw_arena_printf(arena,
                                  "%llu cells passed, none failed; not timed",
                                  (unsigned long long)j->n_pass);
}

int osw_choose(osw_arena_t *arena, const osw_file_t *file, bool unjudged,
               const struct osw_op *op, enum osw_export_device device,
               struct osw_export_op *out, const char **why,
               struct osw_error *err)
{
    struct osw_export_impl *list =
        osw_arena_array(arena, op->n_impls + 1, sizeof(*list));
    struct osw_judged *judged = NULL;
    size_t n = 0, n_judged = 0, n_buildable = 0, n_changed = 0;

    if (!list)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for implementations");
    if (file &&
        osw_judged_read(arena, file, op, device, &judged, &n_judged, err) < 0)
        return -1;
    for (size_t i = 0; i < n_judged; i++) {
        const struct osw_op_file *f =
            is_good(&judged[i]) ? buildable(op, device, judged[i].impl) : NULL;

        bool changed = false;

        if (f && has_changed(file, op, f, &changed, err) < 0)
            return -1;
        if (changed) { /* what passed was another file */
            judged[i].n_pass = 0;
            n_changed++;
        } else if (f) {
            add(list, &n, f, verdict(arena, &judged[i]));
        }
    }
    for (size_t i = 0; i < op->n_impls; i++) {
        const struct osw_op_file *f = &op->impls[i];

        if (!is_buildable(f, device))
            continue;
        n_buildable++;
        if (unjudged && !was_judged(judged, n_judged, f->name))
            add(list, &n, f, "not judged");
    }
    *why = n_buildable == 0 ? "it has no source that a package can build"
           : n_judged == 0  ? "none was judged in the result file"
           : n_changed > 0
               ? "what passed has been changed since: judge it again"
               : "each one judged has a failed cell, or none "
                 "that passed";
    out->impls[device] = list;
    out->n_impls[device] = n;
    return 0;
}
