/* ops/notation/pte.c - the operators that an ExecuTorch program (.pte) calls */
#include "ops/notation/pte.h"

#include <stdint.h>
#include <string.h>

enum {
    MAX_PLANS = 64,
    /* fields of tables, by their numbers in ExecuTorch's program.fbs */
    PROGRAM_EXECUTION_PLAN = 1,
    PLAN_OPERATORS = 6,
    OPERATOR_NAME = 0,
    OPERATOR_OVERLOAD = 1
};

struct reader {
    osw_arena_t *arena;
    const unsigned char *bytes;
    size_t n;
    struct osw_yaml_op *ops; /* [OSW_OPS_YAML_MAX_OPS] */
    size_t n_ops;
    struct osw_error *err; /* holds a failure once there is one */
};

bool osw_pte_is(const void *bytes, size_t n)
{
    return n >= 8 && memcmp((const char *)bytes + 4, "ET", 2) == 0;
}

/* --- FlatBuffers: 0 where err is set --- */

static uint64_t number(struct reader *r, uint64_t at, unsigned size)
{
    uint64_t v = 0;

    if (at > r->n || r->n - at < size) {
        osw_fail(r->err, OSW_BAD_INPUT,
                 "byte %llu: expected a program of ExecuTorch, found its end "
                 "at %zu",
                 (unsigned long long)at, r->n);
        return 0;
    }
    for (unsigned i = size; i-- > 0;)
        v = v << 8 | r->bytes[at + i];
    return v;
}

static uint64_t follow(struct reader *r, uint64_t at)
{
    return at + number(r, at, 4);
}

/* Where field `i` of a table lies; 0: it is left out. */
static uint64_t field(struct reader *r, uint64_t table, unsigned i)
{
    int64_t back = (int32_t)number(r, table, 4);
    uint64_t layout = table - (uint64_t)back;
    uint64_t at = 4 + 2 * (uint64_t)i;

    if (at + 2 > number(r, layout, 2) || r->err->status != OSW_OK)
        return 0;
    at = number(r, layout + at, 2);
    return at ? table + at : 0;
}

/* A vector's first element, with its length in *n; no vector is empty. */
static uint64_t vector(struct reader *r, uint64_t at, uint64_t *n)
{
    uint64_t first = at ? follow(r, at) : 0;

    *n = at ? number(r, first, 4) : 0;
    if (*n > r->n / 4 && r->err->status == OSW_OK)
        osw_fail(r->err, OSW_BAD_INPUT,
                 "byte %llu: expected at most %zu items, found %llu",
                 (unsigned long long)first, r->n / 4, (unsigned long long)*n);
    if (r->err->status != OSW_OK)
        *n = 0;
    return first + 4;
}

static const char *text(struct reader *r, uint64_t at)
{
    uint64_t n, first = vector(r, at, &n);
    const char *copy;

    if (n > 0 && (first > r->n || r->n - first < n))
        number(r, r->n, 1); /* says so */
    if (r->err->status != OSW_OK)
        return NULL;
    copy = osw_arena_strndup(r->arena, n ? (const char *)r->bytes + first : "",
                             (size_t)n);
    if (!copy)
        osw_fail(r->err, OSW_NO_MEMORY, "no memory for operators");
    return copy;
}

/* --- operators --- */

static bool is_there(const struct reader *r, const struct osw_schema *s)
{
    for (size_t i = 0; i < r->n_ops; i++) {
        const struct osw_schema *o = &r->ops[i].schema;

        if (strcmp(o->name, s->name) == 0 &&
            strcmp(o->overload, s->overload) == 0 &&
            strcmp(o->ns ? o->ns : "", s->ns ? s->ns : "") == 0)
            return true;
    }
    return false;
}

static void add(struct reader *r, uint64_t table)
{
    const char *name = text(r, field(r, table, OPERATOR_NAME));
    const char *overload = text(r, field(r, table, OPERATOR_OVERLOAD));
    struct osw_yaml_op *op = &r->ops[r->n_ops];
    struct osw_error why = OSW_ERROR_INIT;
    const char *whole;

    if (!name || !overload || r->err->status != OSW_OK)
        return;
    whole = osw_arena_printf(r->arena, "%s%s%s", name, *overload ? "." : "",
                             overload);
    *op = (struct osw_yaml_op){.is_func = false};
    if (!whole)
        osw_fail(r->err, OSW_NO_MEMORY, "no memory for operators");
    else if (osw_schema_parse(r->arena, whole, strlen(whole), &op->schema,
                              &why) < 0 ||
             op->schema.has_signature)
        osw_fail(r->err, OSW_BAD_INPUT,
                 "byte %llu: expected an operator's name, found '%.60s'",
                 (unsigned long long)table, whole);
    else if (!is_there(r, &op->schema) && ++r->n_ops == OSW_OPS_YAML_MAX_OPS)
        osw_fail(r->err, OSW_BAD_INPUT, "expected at most %d operators",
                 OSW_OPS_YAML_MAX_OPS - 1);
}

static void read_plan(struct reader *r, uint64_t table)
{
    uint64_t n, first = vector(r, field(r, table, PLAN_OPERATORS), &n);

    for (uint64_t i = 0; i < n && r->err->status == OSW_OK; i++)
        add(r, follow(r, first + 4 * i));
}

int osw_pte_read(osw_arena_t *arena, const void *bytes, size_t n,
                 struct osw_ops_yaml *out, struct osw_error *err)
{
    struct osw_error found = OSW_ERROR_INIT;
    struct reader r = {
        .arena = arena,
        .bytes = bytes,
        .n = n,
        .ops = osw_arena_array(arena, OSW_OPS_YAML_MAX_OPS, sizeof(*r.ops)),
        .err = &found};
    uint64_t n_plans, first;

    if (!r.ops)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for operators");
    if (!osw_pte_is(bytes, n))
        return osw_fail(err, OSW_BAD_INPUT,
                        "byte 4: expected 'ET', a program of ExecuTorch");
    first = vector(&r, field(&r, number(&r, 0, 4), PROGRAM_EXECUTION_PLAN),
                   &n_plans);
    if (n_plans > MAX_PLANS)
        osw_fail(&found, OSW_BAD_INPUT, "expected at most %d plans, found %llu",
                 MAX_PLANS, (unsigned long long)n_plans);
    for (uint64_t i = 0; i < n_plans && found.status == OSW_OK; i++)
        read_plan(&r, follow(&r, first + 4 * i));
    if (found.status != OSW_OK)
        return osw_fail(err, found.status, "%s", found.text);
    *out = (struct osw_ops_yaml){r.n_ops, r.ops};
    return 0;
}
