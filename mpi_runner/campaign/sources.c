/* mpi_runner/campaign/sources.c - the files that a plan's cells are made of */
#include "mpi_runner/campaign/sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/grow.h"
#include "ops/build/file_hash.h"
#include "ops/build/include_line.h"
#include "ops/catalog/baselines.h"
#include "ops/catalog/op.h"

enum { MAX_LINE = 1024, MAX_DEPTH = 16 /* of includes */ };

struct list {
    osw_arena_t *arena;
    struct osw_run_source *items; /* [n] */
    size_t n, size;
    size_t first; /* of the present op */
};

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory for a list of sources");
}

static bool is_there(const struct list *l, const char *name)
{
    for (size_t i = l->first; i < l->n; i++)
        if (strcmp(l->items[i].file, name) == 0)
            return true;
    return false;
}

/* Returns 1 for a file that can be looked into; 0 for what is none, such as a
 * pipe; -1 with err set.
 */
static int append(struct list *l, const struct osw_op *op, const char *name,
                  const char *path, struct osw_error *err)
{
    struct osw_run_source source = {.op = op->name, .file = name};
    struct osw_run_source *p = osw_grow(l->items, l->n, &l->size, sizeof(*p));
    struct osw_file_hash hash;
    bool is_file = osw_file_hash(path, &hash, NULL) == 0;

    if (!p)
        return no_memory(err);
    l->items = p;
    if (is_file)
        memcpy(source.sha256, hash.sha256, sizeof(source.sha256));
    l->items[l->n++] = source;
    return is_file;
}

static int add_headers(struct list *l, const struct osw_op *op,
                       const char *path, int depth, struct osw_error *err);

/* What a line of `path` includes, if it is a file beside it: named as seen
 * from there.
 */
static int add_header(struct list *l, const struct osw_op *op, const char *path,
                      const char *line, int depth, struct osw_error *err)
{
    const char *name = osw_include_line(l->arena, line),
               *slash = strrchr(path, '/');
    const char *there;
    size_t n = strlen(op->dir);
    int rc;

    if (!name || !slash)
        return 0;
    there =
        osw_arena_printf(l->arena, "%.*s/%s", (int)(slash - path), path, name);
    if (!there)
        return no_memory(err);
    if (strncmp(there, op->dir, n) == 0 && there[n] == '/')
        name = there + n + 1;
    if (is_there(l, name) || access(there, R_OK) != 0)
        return 0;
    rc = append(l, op, name, there, err);
    return rc > 0 ? add_headers(l, op, there, depth + 1, err) : rc;
}

static int add_headers(struct list *l, const struct osw_op *op,
                       const char *path, int depth, struct osw_error *err)
{
    FILE *f = depth < MAX_DEPTH ? fopen(path, "re") : NULL;
    char line[MAX_LINE];
    int rc = 0;

    while (f && rc == 0 && fgets(line, sizeof(line), f))
        rc = add_header(l, op, path, line, depth, err);
    if (f)
        fclose(f);
    return rc;
}

static int add(struct list *l, const struct osw_op *op, const char *path,
               struct osw_error *err)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    const char *file = slash ? slash + 1 : path;
    int rc;

    if (!path || !*path || is_there(l, file))
        return 0;
    rc = append(l, op, file, path, err);
    return rc > 0 ? add_headers(l, op, path, 0, err) : rc;
}

static int add_file(struct list *l, const struct osw_op *op,
                    const struct osw_op_file *file, struct osw_error *err)
{
    return file ? add(l, op, file->path, err) : 0;
}

static int add_op(struct list *l, const struct osw_op *op,
                  struct osw_error *err)
{
    const char *json = osw_arena_printf(l->arena, "%s/op.json", op->dir);

    if (!json)
        return no_memory(err);
    l->first = l->n;
    if (access(json, F_OK) == 0 && add(l, op, json, err))
        return -1;
    return add(l, op, op->cases_json, err) || add(l, op, op->cases_py, err) ||
                   add_file(l, op, op->reference, err) ||
                   add_file(l, op, op->host_reference, err)
               ? -1
               : 0;
}

static int add_all(struct list *l, const struct osw_plan *plan,
                   struct osw_error *err)
{
    const struct osw_op *op = NULL;

    for (size_t i = 0; i < plan->n_bundles; i++) {
        const struct osw_plan_bundle *b = &plan->bundles[i];
        char name[OSW_OP_MAX_NAME + 1];

        if (!b->op)
            continue;
        if (b->op != op && add_op(l, b->op, err))
            return -1;
        op = b->op;
        for (int k = 0; osw_baselines_at(b->baselines, k, name, sizeof(name));
             k++)
            if (add_file(l, op, osw_op_impl(op, name), err))
                return -1;
        for (uint32_t k = 0; k < b->n_cells; k++)
            if (add_file(l, op, osw_op_impl(op, b->impls[k]), err))
                return -1;
    }
    return 0;
}

int osw_sources_load(osw_arena_t *arena, const struct osw_plan *plan,
                     const struct osw_run_source **sources, size_t *n,
                     struct osw_error *err)
{
    struct list l = {.arena = arena};
    struct osw_run_source *copy;
    int rc = add_all(&l, plan, err);

    if (rc == 0) {
        copy = osw_arena_array(arena, l.n, sizeof(*copy));
        if (copy && l.n)
            memcpy(copy, l.items, l.n * sizeof(*copy));
        *sources = copy;
        *n = l.n;
        rc = copy ? 0 : no_memory(err);
    }
    free(l.items);
    return rc;
}
