/* ops/inputs/bind.c - the arguments of a case, in the order that code sees them
 */
#include "ops/inputs/bind.h"

#include <string.h>

/* What torch calls the dtypes of the notation. */
static const struct {
    const char *word;
    enum osw_dtype_id dtype;
} torch_dtypes[] = {
    {"torch.float64", OSW_F64},   {"torch.double", OSW_F64},
    {"torch.float32", OSW_F32},   {"torch.float", OSW_F32},
    {"torch.float16", OSW_F16},   {"torch.half", OSW_F16},
    {"torch.bfloat16", OSW_BF16}, {"torch.int64", OSW_I64},
    {"torch.long", OSW_I64},      {"torch.int32", OSW_I32},
    {"torch.int", OSW_I32},       {"torch.int16", OSW_I16},
    {"torch.short", OSW_I16},     {"torch.int8", OSW_I8},
    {"torch.uint8", OSW_U8},      {"torch.bool", OSW_B8},
    {"torch.complex64", OSW_C64}, {"torch.complex128", OSW_C128},
    {"torch.complex32", OSW_C32},
};

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

/* What is being bound, for the helpers. */
struct binding {
    osw_arena_t *arena;
    const struct osw_schema *schema;
    struct osw_bound_arg *args;
    struct osw_error *err;
};

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory to place arguments");
}

static struct osw_value *new_values(struct binding *b, size_t n)
{
    struct osw_value *v = osw_arena_array(b->arena, n, sizeof(*v));

    if (!v)
        no_memory(b->err);
    return v;
}

/* A word of torch for a dtype as that dtype; other values as they are. */
static const struct osw_value *translate(struct binding *b,
                                         const struct osw_value *v)
{
    if (v->kind != OSW_VALUE_WORD)
        return v;
    for (size_t i = 0; i < N_ELEM(torch_dtypes); i++)
        if (strcmp(torch_dtypes[i].word, v->u.s) == 0) {
            struct osw_value *dtype = new_values(b, 1);

            if (dtype) {
                dtype->kind = OSW_VALUE_DTYPE;
                dtype->u.dtype = torch_dtypes[i].dtype;
            }
            return dtype;
        }
    return v;
}

/* 3 for an int[2] is [3, 3]. */
static const struct osw_value *
expand(struct binding *b, const struct osw_type *t, const struct osw_value *v)
{
    struct osw_value *list, *items;

    if (!t->list || t->list_size == OSW_TYPE_ANY_SIZE ||
        v->kind == OSW_VALUE_NONE || v->kind == OSW_VALUE_LIST ||
        v->kind == OSW_VALUE_TUPLE)
        return v;
    list = new_values(b, 1);
    items = list ? new_values(b, (size_t)t->list_size) : NULL;
    if (!items)
        return NULL;
    for (int64_t i = 0; i < t->list_size; i++)
        items[i] = *v;
    list->kind = OSW_VALUE_LIST;
    list->n = (uint32_t)t->list_size;
    list->u.items = items;
    return list;
}

static int place(struct binding *b, uint32_t i, const struct osw_value *v,
                 enum osw_given given)
{
    const struct osw_schema_arg *a = &b->schema->args[i];

    v = translate(b, v);
    v = v ? expand(b, &a->type, v) : NULL;
    if (!v)
        return -1;
    b->args[i] = (struct osw_bound_arg){a->name, v, a->written, given};
    return 0;
}

/* Record "<op>: <what> '<name>'"; the op is named by its schema. */
static int fail_arg(struct binding *b, const char *what, const char *name)
{
    const struct osw_schema *s = b->schema;

    return osw_fail(b->err, OSW_BAD_INPUT, "%s%s%s: %s '%s'", s->name,
                    *s->overload ? "." : "", s->overload, what, name);
}

static int place_positional(struct binding *b, const struct osw_value *args)
{
    uint32_t n = 0;

    while (n < b->schema->n_args && !b->schema->args[n].kwarg_only)
        n++;
    if (args->n > n)
        return osw_fail(b->err, OSW_BAD_INPUT,
                        "%s%s%s: expected at most %u positional arguments, "
                        "found %u",
                        b->schema->name, *b->schema->overload ? "." : "",
                        b->schema->overload, n, args->n);
    for (uint32_t i = 0; i < args->n; i++)
        if (place(b, i, &args->u.items[i], OSW_GIVEN_POSITION) < 0)
            return -1;
    return 0;
}

static int place_keywords(struct binding *b, const struct osw_value *kwargs)
{
    for (uint32_t k = 0; k < kwargs->n; k++) {
        int i = osw_schema_arg_index(b->schema, kwargs->keys[k]);

        if (i < 0)
            return fail_arg(b, "unknown keyword argument", kwargs->keys[k]);
        if (b->args[i].value)
            return fail_arg(b, "argument given twice", kwargs->keys[k]);
        if (place(b, (uint32_t)i, &kwargs->u.items[k], OSW_GIVEN_KEYWORD) < 0)
            return -1;
    }
    return 0;
}

static int place_defaults(struct binding *b)
{
    for (uint32_t i = 0; i < b->schema->n_args; i++) {
        const struct osw_schema_arg *a = &b->schema->args[i];

        if (b->args[i].value)
            continue;
        if (!a->default_text)
            return fail_arg(b, "missing argument", a->name);
        if (place(b, i, &a->value, OSW_GIVEN_DEFAULT) < 0)
            return -1;
    }
    return 0;
}

static int bind_by_order(struct binding *b, const struct osw_case *c)
{
    for (uint32_t i = 0; i < c->args.n + c->kwargs.n; i++) {
        uint32_t k = i - c->args.n; /* meant only for keyword arguments */
        bool keyword = i >= c->args.n;
        struct osw_bound_arg a = {
            .name = keyword ? c->kwargs.keys[k]
                            : osw_arena_printf(b->arena, "arg%u", i),
            .value = translate(b, keyword ? &c->kwargs.u.items[k]
                                          : &c->args.u.items[i]),
            .given = keyword ? OSW_GIVEN_KEYWORD : OSW_GIVEN_POSITION,
        };

        if (!a.name || !a.value)
            return no_memory(b->err);
        b->args[i] = a;
    }
    return 0;
}

int osw_bind(osw_arena_t *arena, const struct osw_schema *schema,
             const struct osw_case *c, struct osw_bound_arg **args, size_t *n,
             struct osw_error *err)
{
    struct binding b = {.arena = arena, .schema = schema, .err = err};
    size_t count = schema ? schema->n_args : (size_t)c->args.n + c->kwargs.n;

    if (schema && !schema->has_signature)
        return osw_fail(err, OSW_BAD_INPUT,
                        "schema '%s' names no arguments: expected "
                        "name(arguments) -> returns",
                        schema->name);
    b.args = osw_arena_array(arena, count, sizeof(*b.args));
    if (!b.args)
        return no_memory(err);
    if (!schema) {
        if (bind_by_order(&b, c) < 0)
            return -1;
    } else if (place_positional(&b, &c->args) < 0 ||
               place_keywords(&b, &c->kwargs) < 0 || place_defaults(&b) < 0) {
        return -1;
    }
    *args = b.args;
    *n = count;
    return 0;
}

static bool has_items(const struct osw_value *v)
{
    return v->kind == OSW_VALUE_LIST || v->kind == OSW_VALUE_TUPLE ||
           v->kind == OSW_VALUE_DICT;
}

/* Number the tensors of v from n on, into out unless that is NULL; returns
 * the number after the last.
 */
static size_t walk(const struct osw_value *v, const struct osw_bound_tensor *as,
                   struct osw_bound_tensor *out, size_t n)
{
    if (v->kind == OSW_VALUE_TENSOR) {
        if (out) {
            out[n] = *as;
            out[n].desc = v->u.tensor;
        }
        return n + 1;
    }
    for (uint32_t i = 0; has_items(v) && i < v->n; i++)
        n = walk(&v->u.items[i], as, out, n);
    return n;
}

static size_t walk_all(const struct osw_bound_arg *args, size_t n,
                       struct osw_bound_tensor *out)
{
    size_t at = 0;

    for (size_t i = 0; i < n; i++) {
        struct osw_bound_tensor as = {.arg = (uint32_t)i,
                                      .written = args[i].written};

        at = walk(args[i].value, &as, out, at);
    }
    return at;
}

int osw_bind_tensors(osw_arena_t *arena, const struct osw_bound_arg *args,
                     size_t n, struct osw_bound_tensor **tensors,
                     size_t *n_tensors, struct osw_error *err)
{
    size_t count = walk_all(args, n, NULL);
    struct osw_bound_tensor *out = osw_arena_array(arena, count, sizeof(*out));

    if (!out)
        return no_memory(err);
    walk_all(args, n, out);
    *tensors = out;
    *n_tensors = count;
    return 0;
}
