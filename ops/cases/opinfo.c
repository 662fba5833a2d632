/* ops/cases/opinfo.c - tests from torch's own op database: suite "opinfo" */
#include "ops/cases/opinfo.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FIELDS = 4, MAX_WORDS = 512 };

struct field {
    const char *at;
    size_t n;
};

struct reading {
    osw_arena_t *arena;
    struct osw_opinfo *out;
    struct osw_opinfo_case *cases;
    const char *op; /* of the cases that follow; NULL: none yet */
};

/* The last field takes the rest of the line. */
static size_t split(const char *line, size_t n, size_t most,
                    struct field fields[MAX_FIELDS])
{
    size_t used = 0;

    for (;;) {
        const char *tab = used + 1 < most ? memchr(line, '\t', n) : NULL;
        size_t length = tab ? (size_t)(tab - line) : n;

        fields[used++] = (struct field){line, length};
        if (!tab)
            return used;
        line += length + 1;
        n -= length + 1;
    }
}

static bool read_number(const struct field *f, unsigned base, uint64_t most,
                        uint64_t *out)
{
    static const char digits[] = "0123456789abcdef";

    *out = 0;
    for (size_t i = 0; i < f->n; i++) {
        const char *digit = f->at[i] ? memchr(digits, f->at[i], base) : NULL;

        if (!digit || *out > most / base)
            return false;
        *out = *out * base + (uint64_t)(digit - digits);
    }
    return f->n > 0 && *out <= most;
}

static const char *words(struct reading *r, const struct field *f)
{
    return osw_arena_strndup(r->arena, f->at,
                             f->n < MAX_WORDS ? f->n : MAX_WORDS);
}

/* Each reads the fields after the first; false: they are not valid. */

/* All shares must say the same. */
static bool read_torch(struct reading *r, const struct field *f)
{
    const char *before = r->out->torch;

    r->out->torch = words(r, &f[1]);
    return r->out->torch && (!*before || strcmp(before, r->out->torch) == 0);
}

static bool add_number(const struct field *f, uint64_t *sum)
{
    uint64_t n;

    if (!read_number(f, 10, UINT32_MAX, &n) || *sum + n > UINT32_MAX)
        return false;
    *sum += n;
    return true;
}

static bool read_tests(struct reading *r, const struct field *f)
{
    return add_number(&f[1], &r->out->peer_tests) &&
           add_number(&f[2], &r->out->peer_ops);
}

static bool read_left(struct reading *r, const struct field *f)
{
    const char *why = words(r, &f[2]);
    size_t i = 0;

    if (!why)
        return false;
    while (i < r->out->n_left && strcmp(r->out->left[i].why, why) != 0)
        i++;
    if (i == OSW_OPINFO_MAX_LEFT)
        return false;
    if (i == r->out->n_left)
        r->out->left[r->out->n_left++] = (struct osw_opinfo_left){0, why};
    return add_number(&f[1], &r->out->left[i].n);
}

static bool read_op(struct reading *r, const struct field *f)
{
    r->op = words(r, &f[1]);
    return r->op && *r->op;
}

static bool read_any(struct reading *r, const struct field *number,
                     const struct field *text, uint64_t digest, bool bad)
{
    uint64_t n;

    if (!r->op || !read_number(number, 10, UINT32_MAX, &n) ||
        n < OSW_OPINFO_FIRST)
        return false;
    r->cases[r->out->n_cases++] =
        (struct osw_opinfo_case){.op = r->op,
                                 .number = (uint32_t)n,
                                 .digest = digest,
                                 .text = text->at,
                                 .n = text->n,
                                 .bad = bad};
    return true;
}

static bool read_case(struct reading *r, const struct field *f)
{
    uint64_t digest;

    return f[2].n == 16 && read_number(&f[2], 16, UINT64_MAX, &digest) &&
           read_any(r, &f[1], &f[3], digest, false);
}

static bool read_bad(struct reading *r, const struct field *f)
{
    return read_any(r, &f[1], &f[2], 0, true);
}

static const struct kind {
    const char *name;
    size_t n_fields;
    bool (*read)(struct reading *r, const struct field *fields);
} kinds[] = {
    {"torch", 2, read_torch}, {"tests", 3, read_tests}, {"left", 3, read_left},
    {"op", 2, read_op},       {"case", 4, read_case},   {"bad", 3, read_bad},
};

static bool read_line(struct reading *r, const char *line, size_t n)
{
    struct field fields[MAX_FIELDS];

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        size_t length = strlen(kinds[i].name);

        if (n > length && line[length] == '\t' &&
            memcmp(line, kinds[i].name, length) == 0)
            return split(line, n, kinds[i].n_fields, fields) ==
                       kinds[i].n_fields &&
                   kinds[i].read(r, fields);
    }
    return false;
}

static int compare_left(const void *a, const void *b)
{
    const struct osw_opinfo_left *x = a, *y = b;

    return strcmp(x->why, y->why);
}

static int compare_cases(const void *a, const void *b)
{
    const struct osw_opinfo_case *x = a, *y = b;
    int order = strcmp(x->op, y->op);

    return order ? order : (x->number > y->number) - (x->number < y->number);
}

/* The same order, however many shares there were. */
static void put_in_order(struct reading *r)
{
    struct osw_opinfo *out = r->out;

    qsort(out->left, out->n_left, sizeof(out->left[0]), compare_left);
    if (out->n_cases > 0)
        qsort(r->cases, out->n_cases, sizeof(*r->cases), compare_cases);
    for (size_t i = 0; i < out->n_cases; i++)
        if (i > 0 && strcmp(r->cases[i].op, r->cases[i - 1].op) == 0)
            r->cases[i].op = r->cases[i - 1].op;
        else
            out->n_ops++;
}

int osw_opinfo_parse(osw_arena_t *arena, const char *text, size_t n,
                     struct osw_opinfo *out, struct osw_error *err)
{
    struct reading r = {.arena = arena, .out = out};
    size_t room = 0, number = 0;

    *out = (struct osw_opinfo){.torch = ""};
    for (size_t i = 0; i < n; i++)
        room += text[i] == '\n';
    if (n > 0 && text[n - 1] != '\n')
        return osw_fail(err, OSW_BAD_INPUT, "opinfo: line %zu: cut short",
                        room + 1);
    r.cases = osw_arena_array(arena, room, sizeof(*r.cases));
    if (!r.cases)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for %zu cases", room);
    out->cases = r.cases;
    for (size_t at = 0; at < n;) {
        const char *end = memchr(text + at, '\n', n - at);
        size_t length = (size_t)(end - text) - at;

        number++;
        if (!read_line(&r, text + at, length))
            return osw_fail(err, OSW_BAD_INPUT,
                            "opinfo: line %zu: expected one of torch, tests, "
                            "left, op, case and bad with its fields, found "
                            "'%.*s'",
                            number, length < 60 ? (int)length : 60, text + at);
        at += length + 1;
    }
    put_in_order(&r);
    return 0;
}

const char *osw_opinfo_words(osw_arena_t *arena, const struct osw_opinfo *info)
{
    const char *s;
    size_t n_bad = 0;

    for (size_t i = 0; i < info->n_cases; i++)
        n_bad += info->cases[i].bad;
    s = osw_arena_printf(
        arena,
        "opinfo: torch %s: %zu tests of %" PRIu64
        " operators; BackendBench counts %" PRIu64 " tests of %" PRIu64
        " ops (an operator once for each entry that calls it)\n",
        info->torch, info->n_cases - n_bad, info->n_ops, info->peer_tests,
        info->peer_ops);
    if (s && n_bad)
        s = osw_arena_printf(arena, "%s  %zu tests without a notation\n", s,
                             n_bad);
    for (size_t i = 0; s && i < info->n_left; i++)
        s = osw_arena_printf(arena, "%s  left out: %" PRIu64 " %s\n", s,
                             info->left[i].n, info->left[i].why);
    return s;
}
