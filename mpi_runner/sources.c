/* mpi_runner/sources.c - the files that a plan's cells are made of */
#include "mpi_runner/sources.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ops/file_hash.h"
#include "ops/op.h"

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

static int add(struct list *l, const struct osw_op *op, const char *path,
               struct osw_error *err)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    const char *file = slash ? slash + 1 : path;
    struct osw_run_source source = {.op = op->name, .file = file};
    struct osw_file_hash hash;

    if (!path || !*path)
        return 0;
    for (size_t i = l->first; i < l->n; i++)
        if (strcmp(l->items[i].file, file) == 0)
            return 0;
    if (l->n == l->size) {
        size_t size = l->size ? 2 * l->size : 64;
        struct osw_run_source *p = realloc(l->items, size * sizeof(*p));

        if (!p)
            return no_memory(err);
        l->items = p;
        l->size = size;
    }
    if (osw_file_hash(path, &hash, NULL) == 0)
        memcpy(source.sha256, hash.sha256, sizeof(source.sha256));
    l->items[l->n++] = source;
    return 0;
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

        if (!b->op)
            continue;
        if (b->op != op && add_op(l, b->op, err))
            return -1;
        op = b->op;
        if (add_file(l, op, osw_op_impl(op, b->baseline), err))
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
