/* ops/notation/schema_out.c - the functional form of an `.out` schema, and back
 */
#include "ops/notation/schema_out.h"

#include <string.h>

static const char suffix[] = "_out";

enum { SUFFIX = sizeof(suffix) - 1, MAX_OUTS = 26 };

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory for a schema");
}

static bool is_tensor(const struct osw_type *t)
{
    return t->base == OSW_TYPE_TENSOR && !t->list && !t->optional;
}

/* Return i is place i. */
static bool is_place(const struct osw_schema_arg *a,
                     const struct osw_schema_return *r)
{
    return is_tensor(&a->type) && a->written && is_tensor(&r->type) &&
           r->type.alias && strcmp(r->type.alias, a->type.alias) == 0;
}

uint32_t osw_schema_n_outs(const struct osw_schema *s)
{
    uint32_t n = s->n_returns, from = s->n_args - n;

    if (n == 0 || n > s->n_args || !s->args[from].kwarg_only)
        return 0;
    for (uint32_t i = 0; i < n; i++)
        if (!is_place(&s->args[from + i], &s->returns[i]))
            return 0;
    return n;
}

/* "out" as "", "Tensor_out" as "Tensor", any other as it is. */
static const char *without_out(osw_arena_t *arena, const char *overload)
{
    size_t n = strlen(overload);

    if (strcmp(overload, suffix + 1) == 0)
        return "";
    return n > SUFFIX && strcmp(overload + n - SUFFIX, suffix) == 0
               ? osw_arena_strndup(arena, overload, n - SUFFIX)
               : overload;
}

int osw_schema_functional(osw_arena_t *arena, const struct osw_schema *s,
                          struct osw_schema *out, struct osw_error *err)
{
    uint32_t n = osw_schema_n_outs(s);
    struct osw_schema_return *returns;
    struct osw_schema made = *s;

    if (n == 0)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s': expected a place for each return at the end, "
                        "such as '*, Tensor(a!) out) -> Tensor(a!)'",
                        s->name);
    returns = osw_arena_array(arena, n, sizeof(*returns));
    made.overload = without_out(arena, s->overload);
    if (!returns || !made.overload)
        return no_memory(err);
    for (uint32_t i = 0; i < n; i++) {
        returns[i] = s->returns[i];
        returns[i].type.alias = NULL;
        returns[i].type.written = false;
    }
    made.n_args -= n;
    made.returns = returns;
    *out = made;
    return 0;
}

/* And back; NULL: no memory. */
static const char *with_out(osw_arena_t *arena, const char *overload)
{
    return *overload ? osw_arena_printf(arena, "%s%s", overload, suffix)
                     : suffix + 1;
}

/* An alias that no argument has: a letter. */
static const char *letter(osw_arena_t *arena, const struct osw_schema *s,
                          char *next)
{
    for (; *next <= 'z'; (*next)++) {
        bool used = false;

        for (uint32_t k = 0; k < s->n_args; k++)
            used |= s->args[k].type.alias && s->args[k].type.alias[0] == *next;
        if (!used)
            return osw_arena_printf(arena, "%c!", (*next)++);
    }
    return NULL;
}

int osw_schema_out(osw_arena_t *arena, const struct osw_schema *s,
                   struct osw_schema *out, struct osw_error *err)
{
    uint32_t n = s->n_returns;
    struct osw_schema_arg *args =
        osw_arena_array(arena, s->n_args + n + 1, sizeof(*args));
    struct osw_schema_return *returns =
        osw_arena_array(arena, n + 1, sizeof(*returns));
    struct osw_schema made = *s;
    char next = 'a';

    made.overload = with_out(arena, s->overload);
    if (!args || !returns || !made.overload)
        return no_memory(err);
    if (n == 0 || s->n_args + n > OSW_SCHEMA_MAX_ARGS || n > MAX_OUTS)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s': expected 1 to %d returns, found %u", s->name,
                        MAX_OUTS, n);
    if (s->n_args)
        memcpy(args, s->args, s->n_args * sizeof(*args));
    for (uint32_t i = 0; i < n; i++) {
        if (!is_tensor(&s->returns[i].type) || s->returns[i].type.alias)
            return osw_fail(err, OSW_BAD_INPUT,
                            "'%s': return %u is no new tensor", s->name, i);
        returns[i] = s->returns[i];
        returns[i].type.alias = letter(arena, s, &next);
        returns[i].type.written = true;
        args[s->n_args + i] = (struct osw_schema_arg){
            .type = returns[i].type,
            .name = n == 1 ? "out" : osw_arena_printf(arena, "out%u", i),
            .kwarg_only = true,
            .written = true,
        };
        if (!returns[i].type.alias || !args[s->n_args + i].name)
            return no_memory(err);
    }
    made.n_args += n;
    made.args = args;
    made.returns = returns;
    *out = made;
    return 0;
}

/* --- names of torch's own that follow no rule --- */

static const struct {
    const char *name, *functional, *out; /* overloads; out "": it has none */
} odd_names[] = {
    /* clang-format off */
    { "add",  "Tensor",      "out" },
    { "sub",  "Tensor",      "out" },
    { "mul",  "Tensor",      "out" },
    { "div",  "Tensor",      "out" },
    { "mean", "dim",         "out" },
    { "sum",  "dim_IntList", "IntList_out" },
    { "max",  "dim",         "dim_max" },
    { "min",  "dim",         "dim_min" },
    { "avg_pool2d_backward",  "", "grad_input" },
    { "elu_backward",         "", "grad_input" },
    { "gelu_backward",        "", "grad_input" },
    { "hardsigmoid_backward", "", "grad_input" },
    { "hardtanh_backward",    "", "grad_input" },
    { "leaky_relu_backward",  "", "grad_input" },
    { "max_pool2d_with_indices_backward", "", "grad_input" },
    { "nll_loss_backward",    "", "grad_input" },
    { "sigmoid_backward",     "", "grad_input" },
    { "silu_backward",        "", "grad_input" },
    { "tanh_backward",        "", "grad_input" },
    { "threshold_backward",   "", "grad_input" },
    { "scaled_dot_product_attention", "", "" },
    /* clang-format on */
};

enum { N_ODD_NAMES = sizeof(odd_names) / sizeof(odd_names[0]) };

const char *osw_schema_torch_out(osw_arena_t *arena,
                                 const struct osw_schema *functional)
{
    for (size_t i = 0; i < N_ODD_NAMES; i++)
        if (strcmp(odd_names[i].name, functional->name) == 0 &&
            strcmp(odd_names[i].functional, functional->overload) == 0)
            return odd_names[i].out;
    return with_out(arena, functional->overload);
}

const char *osw_schema_torch_functional(const struct osw_schema *out)
{
    for (size_t i = 0; i < N_ODD_NAMES; i++)
        if (strcmp(odd_names[i].name, out->name) == 0 &&
            strcmp(odd_names[i].out, out->overload) == 0)
            return odd_names[i].functional;
    return NULL;
}
