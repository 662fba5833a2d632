/* mpi_runner/campaign/cost_history.c - what ops took in earlier campaigns,
 * against what was predicted
 */
#include "mpi_runner/campaign/cost_history.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "common/whole_file.h"
#include "mpi_runner/campaign/cost_table.h"
#include "ops/build/build_cache.h"

enum { MAX_BYTES = OSW_COST_HISTORY_MAX_LINES * 128 };

static const char first_line[] = "opsweep cost history 1";

struct osw_cost_history {
    char *where;
    size_t n, room;
    struct osw_cost_history_op **ops;   /* [n] by key */
    struct osw_cost_table cells, impls; /* of result files */
};

osw_cost_history_t *osw_cost_history_create(const char *where)
{
    osw_cost_history_t *p = calloc(1, sizeof(*p));

    if (p)
        p->where = strdup(where);
    if (p && !p->where) {
        free(p);
        return NULL;
    }
    return p;
}

void osw_cost_history_destroy(osw_cost_history_t *history)
{
    if (!history)
        return;
    for (size_t i = 0; i < history->n; i++) {
        free(history->ops[i]->key);
        free(history->ops[i]);
    }
    osw_cost_table_free(&history->cells);
    osw_cost_table_free(&history->impls);
    free(history->ops);
    free(history->where);
    free(history);
}

/* --- ops by key --- */

/* The first one that is not below the key. */
static size_t find(const osw_cost_history_t *p, const char *key)
{
    size_t from = 0, to = p->n;

    while (from < to) {
        size_t middle = from + (to - from) / 2;

        if (strcmp(p->ops[middle]->key, key) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static int make_room(osw_cost_history_t *p)
{
    size_t room = p->room ? 2 * p->room : 64;
    struct osw_cost_history_op **ops;

    if (p->n < p->room)
        return 0;
    ops = realloc(p->ops, room * sizeof(struct osw_cost_history_op *));
    if (!ops)
        return -1;
    p->ops = ops;
    p->room = room;
    return 0;
}

static struct osw_cost_history_op *get(osw_cost_history_t *p, const char *key)
{
    size_t at = find(p, key);
    struct osw_cost_history_op *op;

    if (at < p->n && strcmp(p->ops[at]->key, key) == 0)
        return p->ops[at];
    op = make_room(p) == 0 ? calloc(1, sizeof(*op)) : NULL;
    if (op)
        op->key = strdup(key);
    if (!op || !op->key) {
        free(op);
        return NULL;
    }
    memmove(p->ops + at + 1, p->ops + at,
            (p->n - at) * sizeof(struct osw_cost_history_op *));
    p->ops[at] = op;
    p->n++;
    return op;
}

struct osw_cost_history_op *osw_cost_history_op(osw_cost_history_t *history,
                                                const char *op)
{
    char key[OSW_COST_HISTORY_MAX_KEY];

    snprintf(key, sizeof(key), "%s\t%s", history->where, op);
    return get(history, key);
}

static double scale(const struct osw_cost_history_op *op, double ns)
{
    if (op->factor <= 1 || op->cell_ns <= 0)
        return ns * op->factor;
    return ns + (op->factor - 1) * fmin(ns, op->cell_ns);
}

double osw_cost_history_op_ns(const osw_cost_history_t *history, const char *op,
                              double suggested_ns)
{
    char key[OSW_COST_HISTORY_MAX_KEY];
    size_t at;

    snprintf(key, sizeof(key), "%s\t%s", history->where, op);
    at = find(history, key);
    return at < history->n && strcmp(history->ops[at]->key, key) == 0
               ? scale(history->ops[at], suggested_ns)
               : 0;
}

/* --- cells of result files --- */

int osw_cost_history_add_cell(osw_cost_history_t *history, uint64_t cell_key,
                              const char *op, const char *impl, double took_ns)
{
    return osw_cost_table_add(&history->cells, cell_key, took_ns, 0) < 0 ||
                   osw_cost_table_add(&history->impls,
                                      osw_cost_table_key(op, impl), took_ns,
                                      0) < 0
               ? -1
               : 0;
}

static double mean(const struct osw_cost_table *table, uint64_t key)
{
    const struct osw_cost_sum *sum = osw_cost_table_find(table, key);

    return sum ? sum->took_ns / (double)sum->n : 0;
}

double osw_cost_history_cell_ns(const osw_cost_history_t *history,
                                uint64_t cell_key)
{
    return history ? mean(&history->cells, cell_key) : 0;
}

double osw_cost_history_impl_ns(const osw_cost_history_t *history,
                                uint64_t impl_key)
{
    return history ? mean(&history->impls, impl_key) : 0;
}

/* --- the file --- */

/* A number above 0 at *at, which moves past it; 0: there is none. */
static double take_number(char **at)
{
    char *end;
    double x = strtod(*at, &end);

    if (end == *at || !isfinite(x) || x <= 0)
        return 0;
    *at = end;
    return x;
}

/* "where TAB op TAB factor" or "... factor SPACE ns", n bytes.  Returns 0, -1,
 * or -2 without memory.
 */
static int take_line(osw_cost_history_t *p, const char *line, size_t n)
{
    char text[OSW_COST_HISTORY_MAX_KEY + 48], *last;
    struct osw_cost_history_op *op;
    double factor, cell_ns = 0;

    if (n >= sizeof(text) || memchr(line, '\0', n))
        return -1;
    memcpy(text, line, n);
    text[n] = '\0';
    last = strrchr(text, '\t');
    if (!last || last - text >= OSW_COST_HISTORY_MAX_KEY)
        return -1;
    *last++ = '\0';
    factor = take_number(&last);
    if (factor > 0 && *last == ' ')
        cell_ns = take_number(&last);
    if (factor == 0 || *last || !strchr(text, '\t'))
        return -1;
    op = get(p, text);
    if (!op)
        return -2;
    op->factor = factor;
    op->cell_ns = cell_ns;
    return 0;
}

int osw_cost_history_parse(osw_cost_history_t *history, const char *text,
                           size_t n, struct osw_error *err)
{
    size_t number = 0;

    for (size_t at = 0; at < n;) {
        const char *line = text + at;
        const char *end = memchr(line, '\n', n - at);
        size_t length = end ? (size_t)(end - line) : n - at;
        int rc = -1;

        if (number++ == 0)
            rc = length == strlen(first_line) &&
                         memcmp(line, first_line, length) == 0
                     ? 0
                     : -1;
        else if (number <= OSW_COST_HISTORY_MAX_LINES)
            rc = take_line(history, line, length);
        if (rc == -2)
            return osw_fail(err, OSW_NO_MEMORY, "no memory for %zu ops",
                            history->n);
        if (rc < 0)
            return osw_fail(err, OSW_BAD_INPUT,
                            "line %zu: expected %s, found '%.*s'", number,
                            number == 1
                                ? "'opsweep cost history 1'"
                                : "where, op and factor with tabs between them",
                            length < 60 ? (int)length : 60, line);
        at += length + 1;
    }
    return 0;
}

int osw_cost_history_load(osw_cost_history_t *history, const char *path,
                          struct osw_error *err)
{
    struct osw_text text = OSW_TEXT_INIT;
    int rc = 0;

    if (osw_build_cache_read(path, MAX_BYTES, &text, NULL) &&
        osw_cost_history_parse(history, text.data, text.used, err) < 0)
        rc = osw_error_in(err, "'%s'", path);
    osw_text_free(&text);
    return rc;
}

int osw_cost_history_save(const osw_cost_history_t *history, const char *path,
                          struct osw_error *err)
{
    struct osw_whole_file out;

    if (osw_whole_file_open(&out, path, err) < 0)
        return -1;
    fprintf(out.file, "%s\n", first_line);
    for (size_t i = 0; i < history->n && i + 1 < OSW_COST_HISTORY_MAX_LINES;
         i++) {
        const struct osw_cost_history_op *op = history->ops[i];
        bool now = op->took_ns > 0 && op->predicted_ns > 0;
        double factor = now ? op->took_ns / op->predicted_ns : op->factor;
        double cell_ns =
            now ? op->predicted_ns / fmax(op->n_cells, 1) : op->cell_ns;

        if (factor > 0)
            fprintf(out.file, "%s\t%.4g", op->key, factor);
        if (factor > 0 && cell_ns > 0)
            fprintf(out.file, " %.4g", cell_ns);
        if (factor > 0)
            fputc('\n', out.file);
    }
    return osw_whole_file_close(&out, 0, err);
}
