/* shared/gelu.h - arguments of gelu and gelu_backward, element by element
 *
 *     none:  x * (1 + erf(x / sqrt(2))) / 2
 *     tanh:  x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))) / 2
 */
#ifndef OSW_LIBRARY_GELU_H
#define OSW_LIBRARY_GELU_H

#include "convert.h"
#include "rows.h"
#include "rules.h"
#include "vecmath.h"

#include <math.h>

#define OSW_GELU_SQRT_HALF 0.70710678118654752440
#define OSW_GELU_SQRT_2_PI 0.79788456080286535588 /* sqrt(2 / pi) */
#define OSW_GELU_DENSITY   0.39894228040143267794 /* 1 / sqrt(2 pi) */
#define OSW_GELU_CUBE      0.044715

enum { OSW_GELU_CHUNK = 1024 };

static inline int64_t osw_gelu_chunks(int64_t n)
{
    return (n + OSW_GELU_CHUNK - 1) / OSW_GELU_CHUNK;
}

static inline int64_t osw_gelu_chunk_size(int64_t n, int64_t at)
{
    return n - at < OSW_GELU_CHUNK ? n - at : OSW_GELU_CHUNK;
}

struct osw_gelu {
    const osw_tensor *x;    /* self */
    const osw_tensor *grad; /* NULL forward */
    osw_tensor *out;
    int tanh; /* the approximation */
};

/* (self, approximate) or (grad_output, self, approximate) */
static inline int osw_gelu_open(const osw_call *call, struct osw_gelu *g,
                                int backward)
{
    const osw_arg *how = osw_arg_at(call, 1 + backward);

    g->x = osw_arg_tensor(call, backward);
    g->grad = backward ? osw_arg_tensor(call, 0) : NULL;
    if (!g->x || (backward && !g->grad))
        return osw_error(call, "expected tensors");
    if (!osw_rows_is_float(g->x))
        return OSW_UNSUPPORTED;
    if (backward && !osw_rows_same_shape(g->x, g->grad))
        return OSW_UNSUPPORTED; /* broadcasts: no trace has them */
    if (how->tag == OSW_ARG_STRING && strcmp(how->u.s, "none") &&
        strcmp(how->u.s, "tanh"))
        return osw_error(call, "approximate is neither 'none' nor 'tanh'");
    g->tanh = how->tag == OSW_ARG_STRING && strcmp(how->u.s, "tanh") == 0;
    g->out = osw_output(call, 0, g->x->dtype, g->x->ndim, g->x->shape, NULL);
    return g->out ? 0 : OSW_ERROR;
}

/* --- for the device: operands x and grad, unrounded --- */

static inline void osw_gelu_plan(const struct osw_gelu *g,
                                 struct osw_rule_plan *plan)
{
    memset(plan, 0, sizeof(*plan));
    plan->x[0].tensor = g->x;
    plan->x[1].tensor = g->grad;
    plan->common = osw_rule_dtype(OSW_FLOAT, 64);
    plan->dtype = g->out->dtype;
    plan->ndim = g->out->ndim;
    memcpy(plan->shape, g->out->shape, sizeof(int64_t) * (size_t)g->out->ndim);
}

/* --- for the implementations: chunks in float --- */

/* x [n] becomes the result; grad [n] is not there forward. */
typedef void osw_gelu_chunk(float *x, const float *grad, int64_t n);

static inline int osw_gelu_run(const osw_call *call, const struct osw_gelu *g,
                               osw_gelu_chunk *work)
{
    int64_t n = osw_numel(g->x);
    int64_t n_chunks = osw_gelu_chunks(n);
    int threads = osw_rows_threads(call, n_chunks);

    if (!osw_convert_knows(g->x->dtype) ||
        (g->grad && !osw_convert_knows(g->grad->dtype)))
        return OSW_UNSUPPORTED;
#pragma omp parallel for num_threads(threads)
    for (int64_t c = 0; c < n_chunks; c++) {
        int64_t at = c * OSW_GELU_CHUNK;
        int64_t m = osw_gelu_chunk_size(n, at);
        float x[OSW_GELU_CHUNK], grad[OSW_GELU_CHUNK];

        osw_convert_read_flat(g->x, at, m, x);
        if (g->grad)
            osw_convert_read_flat(g->grad, at, m, grad);
        work(x, grad, m);
        osw_convert_write(g->out->dtype, x, m, 1, osw_at(g->out, at));
    }
    return 0;
}

#endif /* OSW_LIBRARY_GELU_H */
