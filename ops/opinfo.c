/* ops/opinfo.c - tests from torch's own op database: suite "opinfo" */
#include "ops/opinfo.h"

#include <inttypes.h>
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

/* Each reads the fields behind the first; false: they are not as they must be.
 */

static bool read_torch(struct reading *r, const struct field *f)
{
    r->out->torch = words(r, &f[1]);
    return r->out->torch != NULL;
}

static bool read_tests(struct reading *r, const struct field *f)
{
    return read_number(&f[1], 10, UINT32_MAX, &r->out->peer_tests) &&
           read_number(&f[2], 10, UINT32_MAX, &r->out->peer_ops);
}

static bool read_left(struct reading *r, const struct field *f)
{
    struct osw_opinfo_left *left = &r->out->left[r->out->n_left];

    if (r->out->n_left == OSW_OPINFO_MAX_LEFT ||
        !read_number(&f[1], 10, UINT32_MAX, &left->n))
        return false;
    left->why = words(r, &f[2]);
    r->out->n_left++;
    return left->why != NULL;
}

static bool read_op(struct reading *r, const struct field *f)
{
    r->op = words(r, &f[1]);
    r->out->n_ops++;
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
