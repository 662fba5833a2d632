/* ops/catalog/op_baseline.c - torch's own operator beside an op's
 * implementations */
#include "ops/catalog/op_baseline.h"

#include <string.h>

#include "ops/catalog/op_own.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static const char prefix[] = "baseline:";

enum { PREFIX = sizeof(prefix) - 1 };

/* The file of worker/sandbox/python that is the implementation, and what a call
 * of it may take, the first one compiles.
 */
static const struct row {
    const char *name, *file;
    double timeout_s;
} rows[] = {
    {"aten", "opsweep_aten.py", 0},
    {"compile", "opsweep_compile.py", 120},
};

static const struct row *row_of(const char *name, size_t n)
{
    for (size_t i = 0; i < N_ELEM(rows); i++)
        if (strlen(rows[i].name) == n && strncmp(rows[i].name, name, n) == 0)
            return &rows[i];
    return NULL;
}

bool osw_op_baseline_is(const char *dir)
{
    return strncmp(dir, prefix, PREFIX) == 0;
}

bool osw_op_baseline_known(const char *name)
{
    return row_of(name, strlen(name)) != NULL;
}

static bool has_namespace(const char *name)
{
    return strchr(name, '.') != strrchr(name, '.');
}

const char *osw_op_baseline_operator(const struct osw_op *op)
{
    if (has_namespace(op->name))
        return op->name;
    for (size_t i = 0; i < op->n_aliases; i++)
        if (has_namespace(op->aliases[i]))
            return op->aliases[i];
    return NULL;
}

/* The implementations with one more among them, by name. */
static const struct osw_op_file *insert(osw_arena_t *arena,
                                        const struct osw_op *op,
                                        const struct osw_op_file *file,
                                        bool beside, size_t *n)
{
    struct osw_op_file *all =
        osw_arena_array(arena, op->n_impls + 1, sizeof(*all));
    size_t at = 0;

    if (!all)
        return NULL;
    while (at < op->n_impls && strcmp(op->impls[at].name, file->name) < 0)
        at++;
    for (size_t i = 0; i < op->n_impls; i++)
        all[i + (i >= at)] = op->impls[i];
    all[at] = *file;
    all[at].beside = beside;
    *n = op->n_impls + 1;
    return all;
}

int osw_op_baseline_add(osw_arena_t *arena, const char *name, bool beside,
                        const struct osw_op *op, struct osw_op *out,
                        struct osw_error *err)
{
    const struct row *row = row_of(name, strlen(name));
    const char *wanted = osw_op_baseline_operator(op);
    const struct osw_op_file *file;
    struct osw_op made = *op;

    if (!row)
        return osw_fail(err, OSW_BAD_INPUT, "'%.100s': no baseline of torch's",
                        name);
    if (!wanted || osw_op_impl(op, row->name)) {
        *out = made;
        return 0;
    }
    file = osw_op_own_file(arena, row->name, row->file, wanted, err);
    if (!file)
        return -1;
    made.impls = insert(arena, op, file, beside, &made.n_impls);
    made.dir = osw_arena_printf(arena, "%s%s:%s", prefix, row->name, op->dir);
    if (!made.impls || !made.dir)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for an op");
    made.least_timeout_s = row->timeout_s;
    *out = made;
    return 0;
}

const char *osw_op_baseline_of(const char *dir, const char **rest,
                               struct osw_error *err)
{
    const char *name = dir + PREFIX, *colon = strchr(name, ':');
    const struct row *row = colon ? row_of(name, (size_t)(colon - name)) : NULL;

    if (!row) {
        osw_fail(err, OSW_BAD_INPUT, "'%.100s': no baseline of torch's", dir);
        return NULL;
    }
    *rest = colon + 1;
    return row->name;
}
