/* ops/catalog/op_collective.c - what op.json says of a collective op */
#include "ops/catalog/op_collective.h"

#include <math.h>
#include <string.h>

#include "ops/inputs/expr.h"
#include "ops/notation/dtype.h"

enum { MAX_ARGS = 64 };

static int read_world(const osw_json_t *v, int *out, struct osw_error *err)
{
    double n;

    if (osw_json_expect(v, OSW_JSON_INT, err) < 0 ||
        osw_json_f64(v, &n, err) < 0)
        return -1;
    if (n < 2 || n > OSW_OP_MAX_WORLD)
        return osw_json_fail(v, err, "expected 2 to %d ranks, found %g",
                             (int)OSW_OP_MAX_WORLD, n);
    *out = (int)n;
    return 0;
}

static int read_worlds(osw_arena_t *arena, const osw_json_t *v,
                       struct osw_op *op, struct osw_error *err)
{
    size_t n = osw_json_size(v);
    int *all = osw_arena_array(arena, n + 1, sizeof(*all));

    if (!all)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for op.json");
    if (n == 0)
        return osw_json_fail(v, err, "expected numbers of ranks, found none");
    for (size_t i = 0; i < n; i++) {
        const osw_json_t *item = osw_json_at(v, i);

        if (read_world(item, &all[i], err) < 0)
            return -1;
        if (i > 0 && all[i] <= all[i - 1])
            return osw_json_fail(item, err, "expected more than %d, found %d",
                                 all[i - 1], all[i]);
    }
    op->world = all[0];
    op->worlds = all;
    op->n_worlds = n > 1 ? n : 0;
    return 0;
}

int osw_op_world_read(osw_arena_t *arena, const osw_json_t *v,
                      struct osw_op *op, struct osw_error *err)
{
    bool list = osw_json_kind(v) == OSW_JSON_LIST;

    if ((list ? read_worlds(arena, v, op, err)
              : read_world(v, &op->world, err)) < 0)
        return -1;
    if (op->product.a)
        return osw_json_fail(v, err,
                             "expected no 'product' beside it: a collective op "
                             "is compared value by value");
    if (op->n_registered > 0)
        return osw_json_fail(v, err,
                             "expected no 'torch' beside it: operators of "
                             "torch's have no communicator");
    return 0;
}

bool osw_op_has_world(const struct osw_op *op, uint32_t world)
{
    for (size_t i = 0; i < op->n_worlds; i++)
        if ((uint32_t)op->worlds[i] == world)
            return true;
    return op->n_worlds == 0 &&
           world == (op->world > 1 ? (uint32_t)op->world : 1);
}

/* --- bandwidth --- */

static int read_text(osw_arena_t *arena, const osw_json_t *v, const char **out,
                     struct osw_error *err)
{
    const char *s = "";

    if (osw_json_expect(v, OSW_JSON_STR, err) < 0 ||
        osw_json_str(v, &s, err) < 0)
        return -1;
    *out = osw_arena_strdup(arena, s);
    return *out ? 0 : osw_fail(err, OSW_NO_MEMORY, "no memory for op.json");
}

/* Over the arguments of the schema, if there is one, and `world`. */
static int read_expression(osw_arena_t *arena, const osw_json_t *of,
                           const char *key, const struct osw_schema *schema,
                           const char **out, struct osw_error *err)
{
    const osw_json_t *v = osw_json_need(of, key, err);
    struct osw_error why = OSW_ERROR_INIT;

    if (!v || read_text(arena, v, out, err) < 0)
        return -1;
    if (osw_expr_check(*out, strlen(*out), schema, "world", &why) < 0)
        return osw_json_fail(v, err, "%s", why.text);
    return 0;
}

static bool has_argument(const struct osw_schema *schema, const char *name)
{
    for (uint32_t i = 0; schema && i < schema->n_args; i++)
        if (strcmp(schema->args[i].name, name) == 0)
            return true;
    return false;
}

int osw_op_bandwidth_read(osw_arena_t *arena, const osw_json_t *v,
                          struct osw_op *op, struct osw_error *err)
{
    static const char *const keys[] = {"count", "size", "bus", "redop", NULL};
    struct osw_op_bandwidth *b = osw_arena_alloc(arena, sizeof(*b));
    const osw_json_t *redop = osw_json_get(v, "redop");

    if (!b)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for op.json");
    *b = (struct osw_op_bandwidth){.redop = NULL};
    if (osw_json_expect(v, OSW_JSON_OBJECT, err) < 0 ||
        osw_json_only_keys(v, keys, err) < 0 ||
        read_expression(arena, v, "count", op->schema, &b->count, err) < 0 ||
        read_expression(arena, v, "size", op->schema, &b->size, err) < 0 ||
        read_expression(arena, v, "bus", op->schema, &b->bus, err) < 0 ||
        (redop && read_text(arena, redop, &b->redop, err) < 0))
        return -1;
    if (op->world < 2)
        return osw_json_fail(v, err,
                             "expected 'world' beside it: only a collective op "
                             "has a bandwidth between ranks");
    if (redop && !has_argument(op->schema, b->redop))
        return osw_json_fail(redop, err,
                             "expected an argument of the schema, found '%s'",
                             b->redop);
    op->bandwidth = b;
    return 0;
}

/* The first tensor; NULL: there is none. */
static const struct osw_tensor_desc *first_tensor(const struct osw_value *v)
{
    const struct osw_tensor_desc *t = NULL;

    if (v->kind == OSW_VALUE_TENSOR)
        return v->u.tensor;
    if (v->kind == OSW_VALUE_LIST || v->kind == OSW_VALUE_TUPLE)
        for (uint32_t i = 0; i < v->n && !t; i++)
            t = first_tensor(&v->u.items[i]);
    return t;
}

static int redop_of(const struct osw_op *op, const struct osw_bound_arg *args,
                    size_t n_args, enum osw_redop *out, struct osw_error *err)
{
    const char *name = op->bandwidth->redop;

    *out = OSW_REDOP_NONE;
    for (size_t i = 0; name && i < n_args; i++) {
        const struct osw_value *v = args[i].value;
        int redop;

        if (strcmp(args[i].name, name) != 0)
            continue;
        redop = v->kind == OSW_VALUE_STRING ? osw_redop_find(v->u.s) : -1;
        if (redop < 0)
            return osw_fail(err, OSW_BAD_INPUT,
                            "op.json: key 'bandwidth.redop': argument '%s': "
                            "expected sum, prod, max, min or avg",
                            name);
        *out = (enum osw_redop)redop;
    }
    return 0;
}

int osw_op_bandwidth_of(const struct osw_op *op, uint32_t world,
                        const struct osw_bound_arg *args, size_t n_args,
                        struct osw_bandwidth *out, struct osw_error *err)
{
    const struct osw_value ranks = {.kind = OSW_VALUE_INT, .u.i = world};
    struct osw_bound_arg named[MAX_ARGS + 1];
    const struct osw_tensor_desc *t = NULL;
    struct osw_bandwidth b = {NAN, NAN, NAN, OSW_REDOP_NONE};

    for (size_t i = 0; i < n_args && !t; i++)
        t = first_tensor(args[i].value);
    if (op->bandwidth && t && n_args <= MAX_ARGS) {
        for (size_t i = 0; i < n_args; i++)
            named[i] = args[i];
        named[n_args] =
            (struct osw_bound_arg){.name = "world", .value = &ranks};
        if (osw_expr_size(op->bandwidth->count, "bandwidth.count", named,
                          n_args + 1, &b.count, err) < 0 ||
            osw_expr_size(op->bandwidth->size, "bandwidth.size", named,
                          n_args + 1, &b.bytes, err) < 0 ||
            osw_expr_size(op->bandwidth->bus, "bandwidth.bus", named,
                          n_args + 1, &b.bus, err) < 0 ||
            redop_of(op, args, n_args, &b.redop, err) < 0)
            return -1;
        b.bytes *= (double)osw_dtype_info((int)t->dtype)->bytes;
    }
    *out = b;
    return 0;
}
