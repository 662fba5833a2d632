/* mpi_runner/diagnose/find_cell.c - which row of a result file is meant */
#include "mpi_runner/diagnose/find_cell.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/suggest.h"
#include "common/text.h"
#include "ops/cases/cell.h"
#include "ops/catalog/select.h"

/* "mm/blocked/3" in parts; index -1: not given. */
struct wanted {
    char *op, *impl; /* in `copy` */
    char *copy;
    int64_t index;
};

static bool all_digits(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isdigit((unsigned char)s[i]))
            return false;
    return n > 0;
}

static int parse_wanted(const char *cell, struct wanted *w,
                        struct osw_error *err)
{
    char *last;

    w->index = -1;
    w->copy = strdup(cell);
    if (!w->copy)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for '%s'", cell);
    w->op = w->copy;
    w->impl = strchr(w->copy, '/');
    *w->impl++ = '\0';
    last = strrchr(w->impl, '/');
    if (!last)
        return 0;
    if (!all_digits(last + 1, strlen(last + 1)))
        return osw_fail(err, OSW_BAD_INPUT,
                        "cell '%s': expected a number after the last '/'",
                        cell);
    w->index = strtoll(last + 1, NULL, 10);
    *last = '\0';
    return 0;
}

static int no_cell(const osw_file_t *file, const char *cell,
                   struct osw_error *err)
{
    return osw_fail(err, OSW_BAD_INPUT, "'%s' has no cell '%s'",
                    osw_file_info(file)->path, cell);
}

static int find_key(const osw_file_t *file, const char *cell, uint64_t key,
                    uint64_t *row, struct osw_error *err)
{
    uint64_t n = osw_file_info(file)->n_results;
    uint64_t *keys = malloc((n + 1) * sizeof(*keys));
    int rc = -1;

    if (!keys)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for %" PRIu64 " keys",
                        n);
    if (osw_file_column(file, "cell_key", OSW_COLUMN_u64, keys, err) == 0) {
        *row = 0;
        while (*row < n && keys[*row] != key)
            ++*row;
        rc = *row < n ? 0 : no_cell(file, cell, err);
    }
    free(keys);
    return rc;
}

/* "mm" means mm.default, too. */
static bool is_op(const char *op, const char *wanted)
{
    size_t n = strlen(wanted);

    return strncmp(op, wanted, n) == 0 &&
           (op[n] == '\0' || strcmp(op + n, ".default") == 0);
}

/* Where there is no implementation, reports print "-". */
static bool is_impl(const char *impl, const char *wanted)
{
    return strcmp(*impl ? impl : "-", wanted) == 0;
}

/* Does the file have the op only with "aten." in front of the wanted name? */
static bool lacks_prefix(const osw_file_t *file, const struct wanted *w,
                         const uint32_t *ops)
{
    uint64_t n = osw_file_info(file)->n_results;
    bool lacks = false;

    for (uint64_t i = 0; i < n; i++) {
        const char *op = osw_file_text(file, OSW_DICT_OP, ops[i]);

        if (is_op(op, w->op))
            return false;
        lacks |= is_op(osw_select_short(op), w->op);
    }
    return lacks;
}

/* The first op of the file that has the wanted name; NULL: none has. */
static const char *named(const osw_file_t *file, const struct wanted *w,
                         const uint32_t *ops)
{
    for (uint64_t i = 0; i < osw_file_info(file)->n_results; i++) {
        const char *op = osw_file_text(file, OSW_DICT_OP, ops[i]);

        if (is_op(op, w->op) || is_op(osw_select_short(op), w->op))
            return op;
    }
    return NULL;
}

/* The text of ids[n] that was probably meant; NULL: none is near. */
static const char *nearest(const osw_file_t *file, enum osw_dict dict,
                           const uint32_t *ids, uint64_t n, const char *word)
{
    const char *best = NULL;

    for (uint64_t i = 0; i < n; i++)
        if (i == 0 || ids[i] != ids[i - 1]) {
            const char *name = osw_file_text(file, dict, ids[i]);
            const char *const two[] = {best, osw_select_short(name)};

            best = osw_suggest(word, two, 2);
        }
    return best;
}

/* The first implementation of an op that the file has. */
static const char *impl_of(const osw_file_t *file, const char *op,
                           const uint32_t *ops, const uint32_t *impls)
{
    uint64_t i = 0;

    while (strcmp(osw_file_text(file, OSW_DICT_OP, ops[i]), op) != 0)
        i++;
    return *osw_file_text(file, OSW_DICT_IMPL, impls[i])
               ? osw_file_text(file, OSW_DICT_IMPL, impls[i])
               : "-";
}

static int no_such(const osw_file_t *file, const char *cell,
                   const struct wanted *w, const uint32_t *ops,
                   const uint32_t *impls, struct osw_error *err)
{
    uint64_t n = osw_file_info(file)->n_results;
    char full[128];
    const char *op = named(file, w, ops);
    const char *impl = nearest(file, OSW_DICT_IMPL, impls, n, w->impl);

    snprintf(full, sizeof(full), "%s.default", w->op);
    if (!op)
        op = nearest(file, OSW_DICT_OP, ops, n, w->op);
    if (!op)
        op = nearest(file, OSW_DICT_OP, ops, n, full);
    if (op && !impl)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' has no cell '%s': expected an implementation of "
                        "'%s' such as '%s'",
                        osw_file_info(file)->path, cell, op,
                        impl_of(file, op, ops, impls));
    if (!op)
        return no_cell(file, cell, err);
    return osw_fail(err, OSW_BAD_INPUT,
                    "'%s' has no cell '%s' (did you mean '%s/%s'?)",
                    osw_file_info(file)->path, cell, op, impl);
}

/* Of the rows of op and implementation, the one with the index. */
static int pick(const osw_file_t *file, const char *cell,
                const struct wanted *w, const uint32_t *ops,
                const uint32_t *impls, uint64_t *row, struct osw_error *err)
{
    uint64_t n = osw_file_info(file)->n_results, found = 0;
    bool short_names = lacks_prefix(file, w, ops);

    for (uint64_t i = 0; i < n; i++) {
        const char *full = osw_file_text(file, OSW_DICT_OP, ops[i]);
        const char *op = short_names ? osw_select_short(full) : full;
        const char *impl = osw_file_text(file, OSW_DICT_IMPL, impls[i]);

        if (!is_op(op, w->op) || !is_impl(impl, w->impl))
            continue;
        if (w->index < 0 ? found == 0 : found == (uint64_t)w->index)
            *row = i;
        found++;
    }
    if (found == 0)
        return no_such(file, cell, w, ops, impls, err);
    if (w->index < 0 && found > 1)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' has %" PRIu64 " cells '%s': add /0 to /%" PRIu64,
                        osw_file_info(file)->path, found, cell, found - 1);
    if (w->index >= 0 && (uint64_t)w->index >= found)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' has %" PRIu64 " cell%s '%s/%s', there is no "
                        "number %" PRId64,
                        osw_file_info(file)->path, found, osw_plural(found),
                        w->op, w->impl, w->index);
    return 0;
}

static int find_name(const osw_file_t *file, const char *cell, uint64_t *row,
                     struct osw_error *err)
{
    uint64_t n = osw_file_info(file)->n_results;
    uint32_t *ops = malloc((n + 1) * sizeof(*ops));
    uint32_t *impls = malloc((n + 1) * sizeof(*impls));
    struct wanted w = {0};
    int rc = -1;

    if (!ops || !impls)
        osw_fail(err, OSW_NO_MEMORY, "no memory for %" PRIu64 " cells", n);
    else if (parse_wanted(cell, &w, err) == 0 &&
             osw_file_column(file, "op_id", OSW_COLUMN_u32, ops, err) == 0 &&
             osw_file_column(file, "impl_id", OSW_COLUMN_u32, impls, err) == 0)
        rc = pick(file, cell, &w, ops, impls, row, err);
    free(w.copy);
    free(ops);
    free(impls);
    return rc;
}

int osw_find_cell(const osw_file_t *file, const char *cell, uint64_t *row,
                  struct osw_error *err)
{
    uint64_t key;

    if (osw_file_info(file)->n_results == 0)
        return osw_fail(err, OSW_BAD_INPUT, "'%s' has no cell",
                        osw_file_info(file)->path);
    if (strchr(cell, '/'))
        return find_name(file, cell, row, err);
    if (osw_cell_key_parse(cell, &key))
        return find_key(file, cell, key, row, err);
    if (!all_digits(cell, strlen(cell)) || strlen(cell) > 15)
        return osw_fail(err, OSW_BAD_INPUT,
                        "cell '%s': expected a row, a cell key of 16 "
                        "hexadecimal digits, or OP/IMPL[/INDEX]",
                        cell);
    *row = strtoull(cell, NULL, 10);
    if (*row >= osw_file_info(file)->n_results)
        return osw_fail(
            err, OSW_BAD_INPUT, "'%s' has no row %s, only %" PRIu64 " row%s",
            osw_file_info(file)->path, cell, osw_file_info(file)->n_results,
            osw_plural(osw_file_info(file)->n_results));
    return 0;
}
