/* results/file/generation.c - how the kernels of a result file were generated
 */
#include "results/file/generation.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/guard.h"
#include "results/file/seal_rows.h"

enum { MAX_ROWS = 1 << 22, MAX_PATH = 128, COPY_BYTES = 1 << 18 };

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory for how kernels were made");
}

/* --- the tables --- */

struct column {
    const char *name;
    bool is_text;
    enum osw_column_type type; /* of numbers */
    size_t bytes, offset;      /* of the member */
    const char *units, *text;
};

struct table {
    const char *path;
    const struct column *columns; /* up to one without a name */
    size_t stride;
};

/* clang-format off */
#define TEXT(of, member, words)                                                \
    {#member, true, OSW_COLUMN_u8, sizeof(const char *),                       \
     offsetof(struct of, member), "", words},
#define NUMBER(of, member, ctype, type, units, words)                          \
    {#member, false, OSW_COLUMN_##type, sizeof(ctype),                         \
     offsetof(struct of, member), units, words},

static const struct column attempt_columns[] = {
#define X(member, words) TEXT(osw_generation_attempt, member, words)
    OSW_GENERATION_TEXTS(X)
#undef X
#define X(member, ctype, type, units, words)                                   \
    NUMBER(osw_generation_attempt, member, ctype, type, units, words)
    OSW_GENERATION_NUMBERS(X)
#undef X
    {0},
};

static const struct column op_columns[] = {
#define X(member, words) TEXT(osw_generation_op, member, words)
    OSW_GENERATION_OP_TEXTS(X)
#undef X
#define X(member, ctype, type, units, words)                                   \
    NUMBER(osw_generation_op, member, ctype, type, units, words)
    OSW_GENERATION_OP_NUMBERS(X)
#undef X
    {0},
};
/* clang-format on */

static const struct table attempt_table = {
    "/generation", attempt_columns, sizeof(struct osw_generation_attempt)};
static const struct table op_table = {"/generation/ops", op_columns,
                                      sizeof(struct osw_generation_op)};

/* --- written --- */

static void put_texts(const struct table *t, const struct column *c,
                      const void *rows, size_t n, osw_store_t *store)
{
    const char **texts = calloc(n + 1, sizeof(*texts));

    for (size_t i = 0; texts && i < n; i++)
        memcpy(&texts[i], (const char *)rows + i * t->stride + c->offset,
               sizeof(*texts));
    if (texts)
        osw_store_texts(store, t->path, c->name, c->text, texts, n);
    else
        osw_store_no_memory(store);
    free(texts);
}

static void put_numbers(const struct table *t, const struct column *c,
                        const void *rows, size_t n, osw_store_t *store)
{
    const struct osw_store_column column = {.name = c->name,
                                            .type =
                                                osw_seal_store_type(c->type),
                                            .units = c->units,
                                            .text = c->text};
    char *values = calloc(n + 1, c->bytes);

    for (size_t i = 0; values && i < n; i++)
        memcpy(values + i * c->bytes,
               (const char *)rows + i * t->stride + c->offset, c->bytes);
    if (values)
        osw_store_values(store, t->path, &column, n, values);
    else
        osw_store_no_memory(store);
    free(values);
}

static void put_table(const struct table *t, const void *rows, size_t n,
                      osw_store_t *store)
{
    osw_store_table(store, t->path, n);
    for (const struct column *c = t->columns; c->name; c++)
        (c->is_text ? put_texts : put_numbers)(t, c, rows, n, store);
}

void osw_generation_put(const struct osw_generation *g, osw_store_t *store)
{
    put_table(&attempt_table, g->attempts, g->n_attempts, store);
    put_table(&op_table, g->ops, g->n_ops, store);
}

/* --- read --- */

static int read_texts(const osw_file_t *file, const char *path,
                      const struct table *t, const struct column *c, char *rows,
                      size_t n, struct osw_error *err)
{
    const char *const *texts;

    if (osw_file_texts(file, path, n, &texts, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        memcpy(rows + i * t->stride + c->offset, &texts[i], sizeof(texts[i]));
    return 0;
}

static int read_numbers(const osw_file_t *file, const char *path,
                        const struct table *t, const struct column *c,
                        char *rows, size_t n, struct osw_error *err)
{
    char *values = malloc(n * c->bytes);
    int rc = values ? osw_file_values(file, path, c->type, n, values, err)
                    : no_memory(err);

    for (size_t i = 0; rc == 0 && i < n; i++)
        memcpy(rows + i * t->stride + c->offset, values + i * c->bytes,
               c->bytes);
    free(values);
    return rc;
}

/* Append the rows of a table to *rows[*n]. */
static int read_table(const osw_file_t *file, const struct table *t,
                      void **rows, size_t *n, struct osw_error *err)
{
    uint64_t more = osw_file_rows(file, t->path);
    char path[MAX_PATH], *all, *at;
    int rc = 0;

    if (more == 0)
        return 0;
    if (more > MAX_ROWS - *n)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s': too many rows in '%s', expected at most %d",
                        osw_file_info(file)->path, t->path, MAX_ROWS);
    all = realloc(*rows, (*n + (size_t)more) * t->stride);
    if (!all)
        return no_memory(err);
    *rows = all;
    at = all + *n * t->stride;
    memset(at, 0, (size_t)more * t->stride);
    for (const struct column *c = t->columns; rc == 0 && c->name; c++) {
        snprintf(path, sizeof(path), "%s/%s", t->path, c->name);
        rc = (c->is_text ? read_texts : read_numbers)(file, path, t, c, at,
                                                      (size_t)more, err);
    }
    if (rc == 0)
        *n += (size_t)more;
    return rc;
}

int osw_generation_append(const osw_file_t *file, struct osw_generation *g,
                          struct osw_error *err)
{
    void *attempts = g->attempts, *ops = g->ops;
    int rc = read_table(file, &attempt_table, &attempts, &g->n_attempts, err);

    g->attempts = attempts;
    if (rc == 0)
        rc = read_table(file, &op_table, &ops, &g->n_ops, err);
    g->ops = ops;
    return rc;
}

void osw_generation_free(struct osw_generation *g)
{
    free(g->attempts);
    free(g->ops);
    *g = (struct osw_generation){.n_ops = 0};
}

int osw_generation_read(const osw_file_t *file, struct osw_generation *out,
                        struct osw_error *err)
{
    *out = (struct osw_generation){.n_ops = 0};
    if (osw_generation_append(file, out, err) == 0)
        return 0;
    osw_generation_free(out);
    return -1;
}

/* --- a file with them --- */

/* 0, or -1 with errno set. */
static int copy_bytes(int in, int out)
{
    char *buffer = malloc(COPY_BYTES);
    ssize_t n = -1;

    if (!buffer)
        return -1;
    while ((n = read(in, buffer, COPY_BYTES)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 || write(out, buffer, (size_t)n) != n)
            break;
    }
    free(buffer);
    return n == 0 ? 0 : -1;
}

static int copy_file(const char *from, const char *to, struct osw_error *err)
{
    int in = open(from, O_RDONLY | O_CLOEXEC), out, rc = 0;

    if (in < 0)
        return osw_fail_sys(err, errno, "cannot read '%s'", from);
    out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (out < 0 || copy_bytes(in, out) < 0)
        rc = osw_fail_sys(err, errno, "cannot write '%s'", to);
    if (out >= 0 && close(out) < 0 && rc == 0)
        rc = osw_fail_sys(err, errno, "cannot write '%s'", to);
    close(in);
    return rc;
}

static int add_tables(const char *path, const struct osw_generation *g,
                      struct osw_error *err)
{
    osw_store_t *store = osw_store_reopen(path, err);
    osw_file_t *file;

    if (!store)
        return -1;
    osw_generation_put(g, store);
    if (osw_store_finish(store, err) < 0)
        return -1;
    file = osw_file_open(path, err); /* does it read back? */
    osw_file_close(file);
    return file ? 0 : -1;
}

int osw_generation_copy(const char *from, const char *to,
                        const struct osw_generation *g, struct osw_error *err)
{
    size_t size = strlen(to) + 32;
    char *temp = malloc(size);
    int rc;

    if (!temp)
        return no_memory(err);
    snprintf(temp, size, "%s.tmp.%ld", to, (long)getpid());
    osw_guard_unfinished(temp);
    rc =
        copy_file(from, temp, err) < 0 || add_tables(temp, g, err) < 0 ? -1 : 0;
    if (rc == 0 && rename(temp, to) < 0)
        rc = osw_fail_sys(err, errno, "cannot rename '%s' to '%s'", temp, to);
    if (rc < 0)
        unlink(temp);
    osw_guard_unfinished(NULL);
    free(temp);
    return rc;
}
