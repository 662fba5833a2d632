/* ops/catalog/op_torch.c - operators of torch as ops without a folder */
#include "ops/catalog/op_torch.h"

#include <math.h>
#include <string.h>

#include "ops/catalog/op_folder.h"
#include "ops/catalog/op_own.h"
#include "ops/inputs/trials.h"

static const char prefix[] = "torch:";

enum { PREFIX = sizeof(prefix) - 1 };

bool osw_op_torch_is(const char *dir)
{
    return strncmp(dir, prefix, PREFIX) == 0;
}

/* "aten.add.Tensor" as a folder would be called: "add__Tensor". */
static const char *folder_of(osw_arena_t *arena, const char *name)
{
    const char *dot = strrchr(name, '.'), *op = name;

    for (const char *at = name; at < dot; at++)
        if (*at == '.')
            op = at + 1;
    return strcmp(dot, ".default") == 0
               ? osw_arena_strndup(arena, op, (size_t)(dot - op))
               : osw_arena_printf(arena, "%.*s__%s", (int)(dot - op), op,
                                  dot + 1);
}

/* What an op is of which nothing is known. */
static struct osw_op unknown_op(void)
{
    struct osw_op op = {
        .schema_text = "", .trials = OSW_TRIALS_ALWAYS, .world = 1};

    for (size_t i = 0; i < sizeof(op.tolerance) / sizeof(op.tolerance[0]); i++)
        op.tolerance[i] = (struct osw_tolerance){NAN, NAN};
    return op;
}

int osw_op_torch_make(osw_arena_t *arena, const char *name,
                      const struct osw_op *library, struct osw_op *out,
                      struct osw_error *err)
{
    struct osw_op op = library ? *library : unknown_op();
    const char *full = osw_op_canonical(arena, name);

    if (!full || !strchr(full, '.'))
        return osw_fail(err, OSW_BAD_INPUT, "'%.100s': no operator's name",
                        name);
    if (strchr(full, '.') == strrchr(full, '.'))
        full = osw_arena_printf(arena, "aten.%s", full);
    op.name = library ? library->name : full;
    op.dir = osw_arena_printf(arena, "%s%s%s%s", prefix, full,
                              library ? ":" : "", library ? library->dir : "");
    if (!library)
        op.folder = full ? folder_of(arena, full) : NULL;
    if (!full || !op.dir || !op.folder)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for an op");
    op.impls = osw_op_own_file(arena, "aten", "opsweep_aten.py", full, err);
    op.n_impls = 1;
    if (!library || op.oracle != OSW_ORACLE_INDEPENDENT) {
        op.reference = osw_op_own_file(arena, "reference",
                                       "opsweep_aten_reference.py", full, err);
        op.host_reference = NULL;
        op.oracle = OSW_ORACLE_INDEPENDENT;
    }
    if (!library)
        op.trials = osw_trial_defaults(full);
    op.n_baselines = 0;
    op.n_notes = 0;
    if (!op.impls || !op.reference)
        return -1;
    *out = op;
    return 0;
}

/* --- other implementations than torch's --- */

int osw_op_torch_cover(osw_arena_t *arena, struct osw_op *op,
                       const struct osw_op_file *impls, size_t n,
                       struct osw_error *err)
{
    const char *dir = osw_arena_printf(arena, "%s\n", op->dir);

    for (size_t i = 0; dir && i < n; i++)
        dir = osw_arena_printf(arena, "%s%s\t%s\t%s\n", dir, impls[i].name,
                               impls[i].symbol, impls[i].path);
    if (!dir)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for an op");
    op->dir = dir;
    op->impls = impls;
    op->n_impls = n;
    return 0;
}

/* The lines after the op's name, as osw_op_torch_cover() wrote them. */
static int read_impls(osw_arena_t *arena, char *lines, struct osw_op *op,
                      struct osw_error *err)
{
    struct osw_op_file *impls;
    char *line, *rest = NULL;
    size_t n = 0;

    for (const char *at = lines; *at; at++)
        n += *at == '\n';
    impls = osw_arena_array(arena, n, sizeof(*impls));
    if (!impls)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for an op");
    n = 0;
    for (line = strtok_r(lines, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        char *symbol = strchr(line, '\t');
        char *path = symbol ? strchr(symbol + 1, '\t') : NULL;
        const struct osw_op_file *file;

        if (!path || !strchr(path, '/') || !osw_language_of(path))
            return osw_fail(err, OSW_BAD_INPUT,
                            "op '%s': expected a file, "
                            "found '%.100s'",
                            op->name, line);
        *symbol++ = '\0';
        *path++ = '\0';
        file = osw_op_own_file(arena, line, path, symbol, err);
        if (!file)
            return -1;
        impls[n++] = *file;
    }
    return osw_op_torch_cover(arena, op, impls, n, err);
}

int osw_op_torch_load(osw_arena_t *arena, const char *dir, const char *device,
                      struct osw_op *out, struct osw_error *err)
{
    char *name = osw_arena_strdup(arena, dir + PREFIX);
    char *lines = name ? strchr(name, '\n') : NULL;
    struct osw_op library, op;
    char *colon;

    if (!name)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for an op");
    if (lines)
        *lines++ = '\0';
    colon = strchr(name, ':');
    if (colon)
        *colon++ = '\0';
    if (colon && osw_op_folder_load(arena, colon, device, &library, err) < 0)
        return -1;
    if (osw_op_torch_make(arena, name, colon ? &library : NULL, &op, err) < 0 ||
        (lines && read_impls(arena, lines, &op, err) < 0))
        return -1;
    *out = op;
    return 0;
}
