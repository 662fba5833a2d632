/* mpi_runner/diagnose/gradient.c - is an op's gradient the derivative of its
 * reference?
 */
#include "mpi_runner/diagnose/gradient.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ops/catalog/op_load.h"
#include "ops/notation/notation.h"
#include "ops/notation/tensor.h"
#include "worker/made.h"

enum {
    MAX_CASES = 3,
    MAX_TENSORS = 64,
    MAX_OUTPUTS = 16,
    MIN_NUMEL = 16,
    MAX_NUMEL = 1 << 16
};

static const double step = 1e-6, tolerance = 1e-5;

/* A tensor in order of its elements. */
struct held {
    struct osw_tensor_desc desc;
    void *bytes; /* doubles, if desc.dtype is f64 */
    uint64_t n_bytes;
    int64_t numel;
};

struct checking {
    osw_arena_t *memory;
    const struct osw_op *op;
    const struct osw_backward_call *call;
    char *why; /* [512]; "" as long as all is well */
    uint64_t random;

    size_t n_inputs;
    struct held inputs[MAX_TENSORS];
    uint32_t arg_of[MAX_TENSORS];        /* the argument that it is */
    const double *ways[MAX_TENSORS];     /* NULL: not moved */
    const struct osw_value **arg_values; /* [op's arguments] */
    double by;                           /* how far along the way */
    size_t n_outputs;
    struct held outputs[MAX_OUTPUTS];
    const double *weights[MAX_OUTPUTS]; /* NULL: no gradient comes from it */

    double moved; /* sum of weights * outputs of the last run */
    size_t n_given;
    const struct held *given[MAX_TENSORS]; /* values of the backward op's */
    double found, scale; /* along the way, by the backward op */
};

/* The first reason counts. */
static void cannot(struct checking *c, const char *why)
{
    if (!*c->why)
        snprintf(c->why, 512, "%s", why);
}

static double draw(struct checking *c)
{
    c->random = c->random * UINT64_C(6364136223846793005) +
                UINT64_C(1442695040888963407);
    return (double)(c->random >> 11) * 0x1p-52 - 1;
}

static const double *draw_many(struct checking *c, int64_t n)
{
    double *all = osw_arena_array(c->memory, (size_t)n + 1, sizeof(*all));

    if (!all)
        cannot(c, "no memory");
    for (int64_t i = 0; all && i < n; i++)
        all[i] = draw(c);
    return all;
}

static const int64_t *copy_sizes(struct checking *c, const int64_t *sizes,
                                 int32_t n)
{
    int64_t *copy = osw_arena_array(c->memory, (size_t)n + 1, sizeof(*copy));

    if (!copy)
        cannot(c, "no memory");
    else if (n > 0)
        memcpy(copy, sizes, (size_t)n * sizeof(*copy));
    return copy;
}

/* Copied, since all of it is borrowed; false: why is set. */
static bool hold(struct checking *c, const struct osw_tensor_desc *desc,
                 const void *bytes, uint64_t n, bool is_packed,
                 struct held *out)
{
    *out = (struct held){.desc = *desc,
                         .n_bytes = n,
                         .numel = osw_tensor_numel(desc->ndim, desc->shape)};
    out->desc.shape = copy_sizes(c, desc->shape, desc->ndim);
    out->desc.strides = NULL; /* none has gaps */
    if (out->numel > MAX_NUMEL)
        cannot(c, "tensors are too large");
    else if (!is_packed &&
             !osw_tensor_is_contiguous(desc->ndim, desc->shape, desc->strides))
        cannot(c, "a tensor is strided");
    else if (!(out->bytes = osw_arena_alloc(c->memory, n + 1)))
        cannot(c, "no memory");
    else if (n > 0)
        memcpy(out->bytes, bytes, n);
    return !*c->why;
}

static bool is_wide(const struct held *h)
{
    return h->desc.dtype == OSW_F64;
}

/* --- the forward op --- */

static void see_outputs(struct checking *c, const struct osw_made *made)
{
    if (made->n_outputs != c->op->schema->n_returns ||
        made->n_outputs > MAX_OUTPUTS) {
        cannot(c, "the reference makes other outputs than the schema says");
        return;
    }
    c->n_outputs = made->n_outputs;
    for (size_t i = 0; i < made->n_outputs && !*c->why; i++) {
        const struct osw_made_output *o = &made->outputs[i];
        struct osw_tensor_desc desc = *o->desc;

        if (o->exact)
            desc.dtype = OSW_F64;
        hold(c, &desc, o->exact ? (const void *)o->exact : o->values, o->bytes,
             o->exact != NULL, &c->outputs[i]);
    }
}

static void on_first(void *arg, const struct osw_made *made)
{
    struct checking *c = arg;

    if (made->n_inputs > MAX_TENSORS || made->n_args != c->op->schema->n_args) {
        cannot(c, "it has too many tensors");
        return;
    }
    c->arg_values =
        osw_arena_array(c->memory, made->n_args + 1, sizeof(*c->arg_values));
    if (!c->arg_values) {
        cannot(c, "no memory");
        return;
    }
    for (size_t k = 0; k < made->n_args; k++)
        c->arg_values[k] = made->args[k].value->kind == OSW_VALUE_TENSOR
                               ? NULL
                               : made->args[k].value;
    c->n_inputs = made->n_inputs;
    for (size_t i = 0; i < made->n_inputs && !*c->why; i++) {
        c->arg_of[i] = made->inputs[i].arg;
        hold(c, made->inputs[i].desc, made->inputs[i].data,
             made->inputs[i].bytes, false, &c->inputs[i]);
    }
    see_outputs(c, made);
}

static void move(void *arg, const struct osw_made_input *inputs, size_t n)
{
    struct checking *c = arg;

    for (size_t i = 0; i < n && i < c->n_inputs; i++) {
        const double *x = c->inputs[i].bytes;
        double *to = inputs[i].data;

        for (int64_t e = 0; c->ways[i] && e < c->inputs[i].numel; e++)
            to[e] = x[e] + c->by * c->ways[i][e];
    }
}

static void on_moved(void *arg, const struct osw_made *made)
{
    struct checking *c = arg;

    c->moved = 0;
    see_outputs(c, made);
    for (size_t i = 0; i < c->n_outputs && !*c->why; i++) {
        const double *y = c->outputs[i].bytes;

        for (int64_t e = 0; c->weights[i] && e < c->outputs[i].numel; e++)
            c->moved += c->weights[i][e] * y[e];
    }
}

/* Which inputs are moved, which outputs have weights. */
static void draw_ways(struct checking *c)
{
    const struct osw_schema *backward = c->call->op->schema;
    int64_t most = 0;

    for (size_t g = 0; g < c->call->n_grads; g++)
        for (size_t i = 0; i < c->n_inputs; i++)
            if (c->arg_of[i] == c->call->grads[g] && is_wide(&c->inputs[i])) {
                c->ways[i] = draw_many(c, c->inputs[i].numel);
                most = c->inputs[i].numel > most ? c->inputs[i].numel : most;
            }
    if (most < MIN_NUMEL)
        cannot(c, "no case has a float tensor of 16 elements or more, all "
                  "tensors contiguous");
    for (uint32_t k = 0; k < backward->n_args; k++) {
        const struct osw_backward_input *in = &c->call->inputs[k];

        if (in->source != OSW_BACKWARD_GRAD)
            continue;
        if (!is_wide(&c->outputs[in->index]))
            cannot(c, "an output is not a float64");
        else if (!c->weights[in->index])
            c->weights[in->index] = draw_many(c, c->outputs[in->index].numel);
    }
}

/* --- the backward op --- */

static void put_tensor(struct checking *c, struct osw_text *t,
                       const struct held *h)
{
    if (c->n_given == MAX_TENSORS) {
        cannot(c, "it has too many tensors");
        return;
    }
    c->given[c->n_given++] = h;
    osw_text_add(t, "T([");
    for (int32_t d = 0; d < h->desc.ndim; d++)
        osw_text_printf(t, "%s%lld", d ? ", " : "",
                        (long long)h->desc.shape[d]);
    osw_text_printf(t, "], %s)", osw_dtype_info((int)h->desc.dtype)->name);
}

static const struct held *input_of(struct checking *c, uint32_t arg)
{
    for (size_t i = 0; i < c->n_inputs; i++)
        if (c->arg_of[i] == arg)
            return &c->inputs[i];
    return NULL;
}

static void put_argument(struct checking *c, struct osw_text *t,
                         const struct osw_backward_input *in)
{
    struct held *weights;
    const struct held *h;

    switch (in->source) {
    case OSW_BACKWARD_GRAD:
        weights = osw_arena_alloc(c->memory, sizeof(*weights));
        if (!weights) {
            cannot(c, "no memory");
            return;
        }
        *weights = c->outputs[in->index];
        weights->bytes = (void *)(uintptr_t)c->weights[in->index];
        put_tensor(c, t, weights);
        return;
    case OSW_BACKWARD_OUT:
        put_tensor(c, t, &c->outputs[in->index]);
        return;
    case OSW_BACKWARD_LITERAL:
        osw_text_add(t, in->literal);
        return;
    case OSW_BACKWARD_ARG:
        if (c->arg_values[in->index]) {
            if (c->op->schema->args[in->index].type.base == OSW_TYPE_TENSOR &&
                c->op->schema->args[in->index].type.list)
                cannot(c, "an argument is a list of tensors");
            osw_notation_print_value(t, c->arg_values[in->index]);
            return;
        }
        break;
    default:
        break;
    }
    h = input_of(c, in->index);
    if (!h)
        cannot(c, "an argument is not given");
    else if (in->source == OSW_BACKWARD_DTYPE)
        osw_text_add(t, osw_dtype_info((int)h->desc.dtype)->name);
    else
        put_tensor(c, t, h);
}

/* The case of the backward op: by position up to the first argument that is
 * left out or given by name.
 */
static const char *backward_case(struct checking *c)
{
    const struct osw_schema *schema = c->call->op->schema;
    const struct osw_backward_input *in = c->call->inputs;
    struct osw_text t = OSW_TEXT_INIT;
    const char *copy = NULL;
    uint32_t k = 0;
    bool more = false;

    osw_text_add(&t, "((");
    for (; k < schema->n_args && !schema->args[k].kwarg_only &&
           in[k].source != OSW_BACKWARD_DEFAULT;
         k++) {
        put_argument(c, &t, &in[k]);
        osw_text_add(&t, ", ");
    }
    osw_text_add(&t, "), {");
    for (; k < schema->n_args; k++) {
        if (in[k].source == OSW_BACKWARD_DEFAULT)
            continue;
        osw_text_printf(&t, "%s'%s': ", more ? ", " : "", schema->args[k].name);
        put_argument(c, &t, &in[k]);
        more = true;
    }
    osw_text_add(&t, "})");
    if (osw_text_str(&t))
        copy = osw_arena_strdup(c->memory, t.data);
    osw_text_free(&t);
    if (!copy)
        cannot(c, "no memory");
    return copy;
}

static void give(void *arg, const struct osw_made_input *inputs, size_t n)
{
    struct checking *c = arg;

    for (size_t i = 0; i < n; i++)
        if (i >= c->n_given || inputs[i].bytes != c->given[i]->n_bytes)
            cannot(c, "the gradient's tensors are not those that were given");
        else
            memcpy(inputs[i].data, c->given[i]->bytes, inputs[i].bytes);
}

static bool same_shape(const struct osw_tensor_desc *a,
                       const struct osw_tensor_desc *b)
{
    return a->ndim == b->ndim &&
           memcmp(a->shape, b->shape, sizeof(a->shape[0]) * (size_t)a->ndim) ==
               0;
}

static void on_backward(void *arg, const struct osw_made *made)
{
    struct checking *c = arg;

    if (made->n_outputs != c->call->n_grads) {
        cannot(c, "the gradient makes other outputs than its schema says");
        return;
    }
    for (size_t g = 0; g < made->n_outputs && !*c->why; g++) {
        const struct osw_made_output *o = &made->outputs[g];
        const double *values = o->exact;

        for (size_t i = 0; i < c->n_inputs; i++) {
            if (c->arg_of[i] != c->call->grads[g] || !c->ways[i])
                continue;
            if (!same_shape(o->desc, &c->inputs[i].desc)) {
                cannot(c, "the gradient has another shape than its argument");
                return;
            }
            if (!values && o->desc->dtype == OSW_F64)
                values = o->values;
            if (!values) {
                cannot(c, "the gradient is not a float64");
                return;
            }
            for (int64_t e = 0; e < c->inputs[i].numel; e++) {
                c->found += values[e] * c->ways[i][e];
                c->scale += fabs(values[e] * c->ways[i][e]);
            }
        }
    }
}

/* --- all of it --- */

/* A backward op, and how it is called. */
struct folder {
    struct osw_op op;
    struct osw_backward_call call;
};

/* Load the op that op->backward names.  0; why says what does not fit, or is
 * "".
 */
static int load_backward(osw_arena_t *memory, const struct osw_op *op,
                         const char *device, struct folder *out, char why[512],
                         struct osw_error *err)
{
    const char *slash = strrchr(op->dir, '/');
    const char *dir = osw_arena_printf(memory, "%.*s%s",
                                       slash ? (int)(slash - op->dir) + 1 : 0,
                                       op->dir, op->backward->folder);
    struct osw_error unfit = OSW_ERROR_INIT;

    if (!dir)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a gradient");
    if (osw_op_load(memory, dir, device, &out->op, &unfit) == 0 &&
        osw_op_backward_resolve(memory, op, &out->op, &out->call, &unfit) ==
            0 &&
        !out->op.reference)
        osw_fail(&unfit, OSW_BAD_INPUT, "'%s' has no reference", dir);
    if (unfit.status == OSW_NO_MEMORY)
        return osw_fail(err, OSW_NO_MEMORY, "%s", unfit.text);
    snprintf(why, 512, "%s", unfit.text);
    return 0;
}

/* "T([4], f16)" as "T([4], f64)". */
static const char *widened(osw_arena_t *memory, const char *text)
{
    static const char *const narrow[] = {"], f32", "], f16", "], bf16"};
    struct osw_text t = OSW_TEXT_INIT;
    const char *copy = NULL;

    while (*text) {
        size_t k = 0, n = 0;

        for (; k < 3 && n == 0; k++)
            if (strncmp(text, narrow[k], strlen(narrow[k])) == 0)
                n = strlen(narrow[k]);
        osw_text_add_n(&t, n ? "], f64" : text, n ? 6 : 1);
        text += n ? n : 1;
    }
    if (osw_text_str(&t))
        copy = osw_arena_strdup(memory, t.data);
    osw_text_free(&t);
    return copy;
}

static int run_backward(struct checking *c, osw_worker_t *worker,
                        struct osw_error *err)
{
    const char *text = backward_case(c);
    struct osw_error unfit = OSW_ERROR_INIT;
    struct osw_gen_case gen;
    struct osw_case parsed;
    struct osw_bundle bundle;

    if (*c->why)
        return 0;
    if (osw_notation_parse_case(c->memory, text, strlen(text), &parsed,
                                &unfit) < 0 ||
        osw_gen_case_make(c->memory, c->call->op, &parsed, NULL, 0, &gen,
                          &unfit) < 0) {
        cannot(c, unfit.text);
        return 0;
    }
    bundle = osw_bundle_of_case(c->call->op->dir, gen.text, gen.fill);
    return osw_worker_make_changed(worker, &bundle, give, on_backward, c,
                                   c->why, err);
}

static int differ(struct checking *c, osw_worker_t *worker,
                  const struct osw_bundle *bundle, double *difference,
                  struct osw_error *err)
{
    double up;

    c->by = step;
    if (osw_worker_make_changed(worker, bundle, move, on_moved, c, c->why,
                                err) < 0)
        return -1;
    up = c->moved;
    c->by = -step;
    if (!*c->why && osw_worker_make_changed(worker, bundle, move, on_moved, c,
                                            c->why, err) < 0)
        return -1;
    *difference = (up - c->moved) / (2 * step);
    return 0;
}

/* Try one case, with every float in it made float64. */
static int try_case(osw_arena_t *memory, osw_worker_t *worker,
                    const struct osw_op *op,
                    const struct osw_backward_call *call,
                    const struct osw_gen_case *at,
                    enum osw_gradient_verdict *verdict, char text[512],
                    struct osw_error *err)
{
    struct checking *c = osw_arena_alloc(memory, sizeof(*c));
    const char *wide = widened(memory, at->text);
    struct osw_bundle bundle = osw_bundle_of_case(op->dir, wide, at->fill);
    double want = 0;

    if (!c || !wide)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a gradient");
    *c = (struct checking){
        .memory = memory, .op = op, .call = call, .why = text, .random = 1};
    *text = '\0';
    *verdict = OSW_GRADIENT_UNKNOWN;
    if (osw_worker_make(worker, &bundle, on_first, c, text, err) < 0)
        return -1;
    if (!*text)
        draw_ways(c);
    if (!*text && run_backward(c, worker, err) < 0)
        return -1;
    if (!*text && differ(c, worker, &bundle, &want, err) < 0)
        return -1;
    if (!*text && c->scale == 0 && want == 0)
        cannot(c, "it is 0 there");
    if (*text)
        return 0;
    *verdict =
        fabs(c->found - want) <= tolerance * fmax(c->scale, fabs(want)) + 1e-9
            ? OSW_GRADIENT_RIGHT
            : OSW_GRADIENT_WRONG;
    snprintf(text, 512,
             "'%s' makes %.9g along a random direction, a difference of the "
             "reference %.9g; case %s",
             call->op->folder, c->found, want, wide);
    return 0;
}

int osw_gradient_check(osw_arena_t *memory, osw_worker_t *worker,
                       const struct osw_op *op, const char *device,
                       const struct osw_gen_cases *cases,
                       enum osw_gradient_verdict *verdict, char text[512],
                       struct osw_error *err)
{
    struct folder backward;
    size_t n = 0;

    *verdict = OSW_GRADIENT_WRONG;
    if (load_backward(memory, op, device, &backward, text, err) < 0)
        return -1;
    if (*text)
        return 0;
    *verdict = OSW_GRADIENT_UNKNOWN;
    snprintf(text, 512, "there is no case");
    for (size_t i = 0; i < cases->n && n < MAX_CASES; i++) {
        enum osw_gradient_verdict one = OSW_GRADIENT_UNKNOWN;
        char words[512] = "";

        if (cases->at[i].why_not)
            continue;
        if (try_case(memory, worker, op, &backward.call, &cases->at[i], &one,
                     words, err) < 0)
            return -1;
        if (one == OSW_GRADIENT_WRONG || n == 0)
            memcpy(text, words, sizeof(words));
        n += one == OSW_GRADIENT_RIGHT;
        if (one == OSW_GRADIENT_WRONG) {
            *verdict = one;
            return 0;
        }
    }
    if (n > 0) {
        *verdict = OSW_GRADIENT_RIGHT;
        snprintf(text, 512, "'%s' is the gradient, %zu case%s",
                 op->backward->folder, n, osw_plural(n));
    }
    return 0;
}
