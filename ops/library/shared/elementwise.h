/* shared/elementwise.h - one kernel over all elements, fast
 *
 * Any rule, any dtypes, any strides: the output is cut into blocks that fit
 * the first-level cache; operands are converted into buffers of float, double
 * or int64, a kernel that the compiler vectorises runs over the buffers, and
 * the result is converted to where it belongs.  Operands that already lie
 * there in the right type are used in place.  Blocks are shared by threads.
 */
#ifndef OSW_LIBRARY_ELEMENTWISE_H
#define OSW_LIBRARY_ELEMENTWISE_H

#include "level.h"

#include "runs.h"

#include "apart.h"

#define OSW_ELEMENTWISE_BLOCK    512
#define OSW_ELEMENTWISE_PARALLEL 262144 /* fewer elements: one thread */

/* y[i] from x[0][i], x[1][i], ... for n elements, all of one type; y may be one
 * of the x.  Operands that the rule does not have repeat the first.
 */
typedef void osw_elementwise_kernel(void *y, const void *const *x, int64_t n);

struct osw_elementwise {
    osw_elementwise_kernel *f, *d, *i; /* on float, double, int64 or NULL */
};

/* A kernel by its formula in a, b and c, which may be tensors, and the numbers
 * d and e.
 */
#define OSW_KERNEL(name, T, formula)                                           \
    static void name(void *to, const void *const *x, int64_t n)                \
    {                                                                          \
        const T *xa = (const T *)x[0], *xb = (const T *)x[1];                  \
        const T *xc = (const T *)x[2];                                         \
        const T d = *(const T *)x[3], e = *(const T *)x[4];                    \
        T *y = (T *)to;                                                        \
        int64_t j;                                                             \
                                                                               \
        (void)d;                                                               \
        (void)e;                                                               \
        _Pragma("omp simd") for (j = 0; j < n; j++)                            \
        {                                                                      \
            T a = xa[j], b = xb[j], c = xc[j];                                 \
                                                                               \
            (void)b;                                                           \
            (void)c;                                                           \
            y[j] = (T)(formula);                                               \
        }                                                                      \
    }

/* Integers wrap: add, subtract and multiply them as these. */
#define OSW_U(v) ((uint64_t)(v))

/* What <op>_kernel_impl of an elementwise op does. */
OSW_APART_CALL int osw_elementwise_run(const osw_call *call,
                                       const struct osw_rule *rule,
                                       const struct osw_elementwise *kernels);

#if OSW_APART_BODIES

union osw_elementwise_block {
    float f[OSW_ELEMENTWISE_BLOCK];
    double d[OSW_ELEMENTWISE_BLOCK];
    int64_t i[OSW_ELEMENTWISE_BLOCK];
    char bytes[OSW_ELEMENTWISE_BLOCK * 8];
};

/* An operand or the output, ready to be moved. */
struct osw_elementwise_side {
    struct osw_run_view view;
    osw_run_mover *move;
    int direct;   /* lies there in the type of the arithmetic, flat */
    int constant; /* one value for all, put into the buffer once */
};

struct osw_elementwise_loop {
    struct osw_rule_plan plan;
    struct osw_elementwise_side x[OSW_RULE_OPERANDS], y;
    osw_elementwise_kernel *kernel;
    enum osw_run_type type;
    int64_t size; /* bytes of an element of that type */
    int64_t total;
    int n;
};

static inline enum osw_run_type osw_elementwise_type(osw_dtype common)
{
    if (osw_rule_category(common) < 2)
        return OSW_RUN_INT;
    return common.bits == 64 ? OSW_RUN_DOUBLE : OSW_RUN_FLOAT;
}

static inline osw_dtype osw_elementwise_native(enum osw_run_type type)
{
    if (type == OSW_RUN_INT)
        return osw_rule_dtype(OSW_INT, 64);
    return osw_rule_dtype(OSW_FLOAT, type == OSW_RUN_DOUBLE ? 64 : 32);
}

/* A tensor without dimensions is a number, rounded to the common dtype. */
static inline void osw_elementwise_constant(struct osw_rule_operand *x,
                                            osw_dtype common)
{
    const osw_tensor *t = x->tensor;

    x->number = osw_rule_round(common, osw_load(t->dtype, osw_data(t)));
    x->integer = osw_rule_wrap(common, osw_load_int(t->dtype, osw_data(t)));
    x->tensor = NULL;
}

static inline int osw_elementwise_side(struct osw_elementwise_loop *l,
                                       struct osw_elementwise_side *s,
                                       const osw_tensor *t, int writing)
{
    const struct osw_run_row *row = osw_run_row_of(t->dtype);

    if (!row)
        return OSW_UNSUPPORTED;
    osw_run_view_of(&s->view, t, l->plan.ndim, l->plan.shape);
    s->move = writing ? row->write[l->type] : row->read[l->type];
    s->constant = 0;
    s->direct = osw_rule_same(t->dtype, osw_elementwise_native(l->type)) &&
                osw_run_is_flat(&s->view, l->size);
    return 0;
}

/* Integers that a 16-bit common dtype would have to round first. */
static inline int osw_elementwise_rounds(const osw_tensor *t, osw_dtype common)
{
    return osw_rule_category(t->dtype) == 1 && osw_rule_category(common) == 2 &&
           common.bits == 16;
}

static inline int osw_elementwise_prepare(struct osw_elementwise_loop *l,
                                          const struct osw_rule *rule,
                                          const osw_tensor *out)
{
    int i, rc = 0;

    l->type = osw_elementwise_type(l->plan.common);
    l->size = l->type == OSW_RUN_FLOAT ? 4 : 8;
    l->n = rule->n;
    l->total = osw_numel(out);
    for (i = 0; i < rule->n && !rc; i++) {
        struct osw_rule_operand *x = &l->plan.x[i];

        if (x->tensor && x->tensor->ndim == 0)
            osw_elementwise_constant(x, l->plan.common);
        l->x[i].constant = !x->tensor;
        l->x[i].direct = 0;
        if (x->tensor && osw_elementwise_rounds(x->tensor, l->plan.common))
            rc = OSW_UNSUPPORTED;
        else if (x->tensor)
            rc = osw_elementwise_side(l, &l->x[i], x->tensor, 0);
    }
    return rc ? rc : osw_elementwise_side(l, &l->y, out, 1);
}

static inline void osw_elementwise_splat(const struct osw_elementwise_loop *l,
                                         const struct osw_rule_operand *x,
                                         union osw_elementwise_block *block)
{
    int j;

    for (j = 0; j < OSW_ELEMENTWISE_BLOCK; j++) {
        if (l->type == OSW_RUN_FLOAT)
            block->f[j] = (float)x->number;
        else if (l->type == OSW_RUN_DOUBLE)
            block->d[j] = x->number;
        else
            block->i[j] = x->integer;
    }
}

/* n elements from the at-th: read, compute, write. */
static inline void osw_elementwise_block(const struct osw_elementwise_loop *l,
                                         union osw_elementwise_block *block,
                                         int64_t at, int64_t n)
{
    const void *x[OSW_RULE_OPERANDS];
    char *y = block[l->n].bytes;
    int i;

    for (i = 0; i < OSW_RULE_OPERANDS; i++) {
        const struct osw_elementwise_side *s = &l->x[i];

        x[i] = block[i].bytes;
        if (i >= l->n)
            x[i] = x[0];
        else if (s->direct)
            x[i] = s->view.data + at * l->size;
        else if (!s->constant)
            osw_run_move(&s->view, at, n, s->move, 0, block[i].bytes, l->size);
    }
    if (l->y.direct)
        y = l->y.view.data + at * l->size;
    l->kernel(y, x, n);
    if (!l->y.direct)
        osw_run_move(&l->y.view, at, n, l->y.move, 1, y, l->size);
}

/* A thread's share of the elements; all of them outside of a team. */
static inline void osw_elementwise_share(const struct osw_elementwise_loop *l)
{
    union osw_elementwise_block block[OSW_RULE_OPERANDS + 1];
    int64_t at;
    int i;

    for (i = 0; i < l->n; i++)
        if (l->x[i].constant)
            osw_elementwise_splat(l, &l->plan.x[i], &block[i]);
#pragma omp for schedule(static)
    for (at = 0; at < l->total; at += OSW_ELEMENTWISE_BLOCK) {
        int64_t n = l->total - at;

        osw_elementwise_block(
            l, block, at,
            n < OSW_ELEMENTWISE_BLOCK ? n : OSW_ELEMENTWISE_BLOCK);
    }
}

OSW_APART_CALL int osw_elementwise_run(const osw_call *call,
                                       const struct osw_rule *rule,
                                       const struct osw_elementwise *kernels)
{
    struct osw_elementwise_loop l;
    int rc, threads;
    osw_tensor *out = osw_rule_declare(call, rule, &l.plan, &rc);

    if (!out)
        return rc;
    rc = osw_elementwise_prepare(&l, rule, out);
    if (rc)
        return rc;
    l.kernel = l.type == OSW_RUN_FLOAT    ? kernels->f
               : l.type == OSW_RUN_DOUBLE ? kernels->d
                                          : kernels->i;
    if (!l.kernel)
        return OSW_UNSUPPORTED;
    threads = l.total > OSW_ELEMENTWISE_PARALLEL ? (int)call->n_threads : 1;

    if (threads == 1) /* a team costs more than a small tensor */
        osw_elementwise_share(&l);
    else
#pragma omp parallel num_threads(threads)
        osw_elementwise_share(&l);
    return 0;
}

#endif /* OSW_APART_BODIES */

#endif /* OSW_LIBRARY_ELEMENTWISE_H */
