/* ops/catalog/op_registered.c - operators registered with torch, as
 * implementations */
#include "ops/catalog/op_registered.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "ops/catalog/op_own.h"

bool osw_op_registered_is_file(const char *file, bool library)
{
    const char *end = library ? ".so" : ".py", *slash = strchr(file, '/');
    size_t n = strlen(file);

    if (n < 4 || strcmp(file + n - 3, end) != 0)
        return false;
    return !slash || (!library && slash != file && file[0] != '.' &&
                      strcmp(slash, "/__init__.py") == 0);
}

static int make(osw_arena_t *arena, const struct osw_op *op,
                const struct osw_op_registered *r, struct osw_op_file *out,
                struct osw_error *err)
{
    const char *path = osw_arena_printf(arena, "%s/%s", op->dir, r->file);
    const char *symbol =
        path ? osw_arena_printf(arena, "%s@%s", r->torch_name, path) : NULL;
    const struct osw_op_file *file;

    if (!symbol)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for an op");
    if (access(path, R_OK) < 0)
        return osw_fail(err, OSW_BAD_INPUT,
                        "%s/op.json: torch.%s: cannot read '%s': %s", op->dir,
                        r->name, r->file, strerror(errno));
    if (osw_op_impl(op, r->name) || strcmp(r->name, "reference") == 0)
        return osw_fail(err, OSW_BAD_INPUT,
                        "%s/op.json: torch.%s: expected a name of its own, "
                        "found that of another file",
                        op->dir, r->name);
    file =
        osw_op_own_file(arena, r->name, "opsweep_registered.py", symbol, err);
    if (!file)
        return -1;
    *out = *file;
    out->file = r->file;
    return 0;
}

int osw_op_registered_add(osw_arena_t *arena, struct osw_op *op,
                          struct osw_error *err)
{
    struct osw_op_file *all;
    size_t n = op->n_impls;

    if (op->n_registered == 0)
        return 0;
    all = osw_arena_array(arena, n + op->n_registered, sizeof(*all));
    if (!all)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for an op");
    if (n)
        memcpy(all, op->impls, n * sizeof(*all));
    for (size_t i = 0; i < op->n_registered; i++) {
        struct osw_op_file one;
        size_t at = n;

        if (make(arena, op, &op->registered[i], &one, err) < 0)
            return -1;
        for (; at > 0 && strcmp(all[at - 1].name, one.name) > 0; at--)
            all[at] = all[at - 1];
        all[at] = one;
        n++;
    }
    op->impls = all;
    op->n_impls = n;
    return 0;
}

bool osw_op_registered_is(const struct osw_op *op, const char *impl)
{
    for (size_t i = 0; i < op->n_registered; i++)
        if (strcmp(op->registered[i].name, impl) == 0)
            return true;
    return false;
}
