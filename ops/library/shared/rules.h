/* shared/rules.h - shapes and types of elementwise ops, as PyTorch's
 *
 * An op is described by a rule: which arguments are its operands, which of
 * them decide the type of the arithmetic, and what the result is.  From the
 * rule and a call comes a plan: the common dtype, the broadcast shape, the
 * output's dtype.  References and implementations stand on the same plan and
 * walk the elements each in their own way.
 *
 * Outputs are contiguous, also where PyTorch keeps the strides of an input.
 */
#ifndef OSW_LIBRARY_RULES_H
#define OSW_LIBRARY_RULES_H

#include <math.h>
#include <opsweep/elements.h>
#include <opsweep/op.h>

#include "apart.h"

#define OSW_RULE_DIMS     16
#define OSW_RULE_OPERANDS 5 /* from the fourth on they are numbers */

enum osw_rule_result {
    OSW_RULE_SAME = 0, /* the common dtype */
    OSW_RULE_BOOL,
    OSW_RULE_IN_PLACE /* argument 0 itself: its dtype and shape */
};

struct osw_rule {
    int n;                          /* operands, 1 to 5 */
    int arg[OSW_RULE_OPERANDS];     /* argument: a tensor, number or None */
    double none[OSW_RULE_OPERANDS]; /* the value that None stands for */
    unsigned promote; /* bit i set: operand i decides the common dtype */
    int floating;     /* integers and bool are computed as f32 */
    int no_bool;      /* PyTorch refuses a common dtype of bool */
    int casts; /* numbers become elements of the common dtype first, as those of
                  comparisons do */
    enum osw_rule_result result;
};

struct osw_rule_operand {
    const osw_tensor *tensor; /* NULL: the number below */
    double number;            /* rounded as PyTorch rounds it */
    int64_t integer;          /* the same for integer arithmetic */
};

struct osw_rule_plan {
    struct osw_rule_operand x[OSW_RULE_OPERANDS];
    osw_dtype common; /* of the arithmetic */
    osw_dtype dtype;  /* of the output */
    int32_t ndim;
    int64_t shape[OSW_RULE_DIMS]; /* [ndim] of the output */
};

/* Much code that is seldom run: one copy of it compiles sooner than several. */
#ifdef __CUDACC__
#define OSW_RULE_APART OSW_HD static inline
#elif defined(OSW_APART) || defined(OSW_APART_MAKE)
#define OSW_RULE_APART OSW_APART_CALL
#else
#define OSW_RULE_APART __attribute__((noinline, unused)) static
#endif

OSW_HD static inline osw_dtype osw_rule_dtype(int code, int bits)
{
    osw_dtype t;

    t.code = (uint8_t)code;
    t.bits = (uint8_t)bits;
    t.lanes = 1;
    return t;
}

OSW_HD static inline int osw_rule_same(osw_dtype a, osw_dtype b)
{
    return a.code == b.code && a.bits == b.bits;
}

/* 0 bool, 1 integers, 2 floats; -1 for complex. */
OSW_HD static inline int osw_rule_category(osw_dtype t)
{
    if (t.code == OSW_BOOL)
        return 0;
    if (t.code == OSW_INT || t.code == OSW_UINT)
        return 1;
    return t.code == OSW_COMPLEX ? -1 : 2;
}

/* What an element of an integer dtype holds of v: it wraps around. */
OSW_HD static inline int64_t osw_rule_wrap(osw_dtype t, int64_t v)
{
    if (osw_rule_category(t) != 1)
        return v;
    switch (t.bits) {
    case 8:
        return t.code == OSW_UINT ? (int64_t)(uint8_t)v : (int64_t)(int8_t)v;
    case 16:
        return (int16_t)v;
    case 32:
        return (int32_t)v;
    default:
        return v;
    }
}

/* The smallest dtype that holds both; f32 for f16 with bf16. */
OSW_APART_CALL osw_dtype osw_rule_promote(osw_dtype a, osw_dtype b);

/* The common dtype: tensors with dimensions come before those without, and
 * these before Python's numbers.
 */
OSW_APART_CALL osw_dtype osw_rule_common(const osw_call *call,
                                         const struct osw_rule *rule);

/* What an element of this dtype holds of v. */
OSW_RULE_APART double osw_rule_round(osw_dtype t, double v);

/* Widen shape [*ndim] so that t broadcasts to it; 0 when it cannot. */
OSW_APART_CALL int osw_rule_broadcast(const osw_tensor *t, int32_t *ndim,
                                      int64_t *shape);

/* Plan a call from its descriptors alone.  Returns 0, OSW_UNSUPPORTED
 * (complex numbers) or an error, reported.
 */
OSW_APART_CALL int osw_rule_plan(const osw_call *call,
                                 const struct osw_rule *rule,
                                 struct osw_rule_plan *plan);

/* Plan and declare output 0: the tensor to write, or NULL with *rc set. */
OSW_APART_CALL osw_tensor *osw_rule_declare(const osw_call *call,
                                            const struct osw_rule *rule,
                                            struct osw_rule_plan *plan,
                                            int *rc);

/* What <op>_meta of an elementwise op does. */
OSW_APART_CALL int osw_rule_meta(const osw_call *call,
                                 const struct osw_rule *rule);

#if OSW_APART_BODIES

OSW_APART_CALL osw_dtype osw_rule_promote(osw_dtype a, osw_dtype b)
{
    int ca = osw_rule_category(a), cb = osw_rule_category(b);

    if (ca != cb)
        return ca > cb ? a : b;
    if (a.code == b.code)
        return a.bits >= b.bits ? a : b;
    if (a.code == OSW_BFLOAT)
        return b.bits > 16 ? b : osw_rule_dtype(OSW_FLOAT, 32);
    if (b.code == OSW_BFLOAT)
        return a.bits > 16 ? a : osw_rule_dtype(OSW_FLOAT, 32);
    if (a.code == OSW_UINT)
        return b.bits > 8 ? b : osw_rule_dtype(OSW_INT, 16);
    return a.bits > 8 ? a : osw_rule_dtype(OSW_INT, 16);
}

/* A dtype that may be absent (bits 0), stronger than `weak`: the weaker one
 * counts only where it is of a higher category.
 */
static inline osw_dtype osw_rule_combine(osw_dtype strong, osw_dtype weak)
{
    if (!strong.bits)
        return weak;
    if (!weak.bits || osw_rule_category(weak) <= osw_rule_category(strong))
        return strong;
    return weak;
}

static inline osw_dtype osw_rule_of_number(const osw_arg *a)
{
    if (a->tag == OSW_ARG_BOOL)
        return osw_rule_dtype(OSW_BOOL, 8);
    if (a->tag == OSW_ARG_INT)
        return osw_rule_dtype(OSW_INT, 64);
    if (a->tag == OSW_ARG_FLOAT)
        return osw_rule_dtype(OSW_FLOAT, 32);
    return osw_rule_dtype(0, 0);
}

OSW_APART_CALL osw_dtype osw_rule_common(const osw_call *call,
                                         const struct osw_rule *rule)
{
    osw_dtype rank[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    osw_dtype t;
    int i;

    for (i = 0; i < rule->n; i++) {
        const osw_arg *a = osw_arg_at(call, rule->arg[i]);
        int r = 2;

        if (!(rule->promote >> i & 1))
            continue;
        t = osw_rule_of_number(a);
        if (a->tag == OSW_ARG_TENSOR) {
            t = a->u.tensor->dtype;
            r = a->u.tensor->ndim == 0;
        }
        if (t.bits)
            rank[r] = rank[r].bits ? osw_rule_promote(rank[r], t) : t;
    }
    t = osw_rule_combine(rank[0], osw_rule_combine(rank[1], rank[2]));
    if (rule->floating && osw_rule_category(t) < 2)
        t = osw_rule_dtype(OSW_FLOAT, 32);
    return t;
}

OSW_RULE_APART double osw_rule_round(osw_dtype t, double v)
{
    unsigned char element[16] = {0};

    osw_store(t, element, v);
    return osw_load(t, element);
}

/* A number takes part in float unless the arithmetic is in double; for a
 * comparison it becomes an element first.  Integers do for what casts.
 */
static inline void osw_rule_number(const osw_arg *a, double none,
                                   const struct osw_rule *rule,
                                   osw_dtype common, struct osw_rule_operand *x)
{
    x->number = none;
    if (a->tag == OSW_ARG_FLOAT)
        x->number = a->u.f;
    x->integer = osw_f64_to_int(x->number);
    if (a->tag == OSW_ARG_INT || a->tag == OSW_ARG_BOOL) {
        x->integer = a->u.i;
        x->number = (double)a->u.i;
    }
    if (rule->casts || rule->result == OSW_RULE_BOOL)
        x->integer = osw_rule_wrap(common, x->integer);
    if (osw_rule_category(common) == 2 && common.bits < 64)
        x->number = rule->result == OSW_RULE_BOOL
                        ? osw_rule_round(common, x->number)
                        : (double)(float)x->number;
}

OSW_APART_CALL int osw_rule_broadcast(const osw_tensor *t, int32_t *ndim,
                                      int64_t *shape)
{
    int32_t d, lead;

    if (t->ndim > OSW_RULE_DIMS)
        return 0;
    for (; *ndim < t->ndim; ++*ndim) {
        for (d = *ndim; d > 0; d--)
            shape[d] = shape[d - 1];
        shape[0] = 1;
    }
    lead = *ndim - t->ndim;
    for (d = 0; d < t->ndim; d++) {
        if (t->shape[d] == shape[lead + d] || t->shape[d] == 1)
            continue;
        if (shape[lead + d] != 1)
            return 0;
        shape[lead + d] = t->shape[d];
    }
    return 1;
}

OSW_APART_CALL int osw_rule_plan(const osw_call *call,
                                 const struct osw_rule *rule,
                                 struct osw_rule_plan *plan)
{
    const osw_tensor *self = osw_arg_tensor(call, 0);
    int i;

    plan->ndim = 0;
    plan->common = osw_rule_common(call, rule);
    if (plan->common.bits == 0)
        return osw_error(call, "no tensor among the operands");
    for (i = 0; i < rule->n; i++) {
        const osw_arg *a = osw_arg_at(call, rule->arg[i]);

        plan->x[i].tensor = osw_arg_tensor(call, rule->arg[i]);
        osw_rule_number(a, rule->none[i], rule, plan->common, &plan->x[i]);
        if (!plan->x[i].tensor)
            continue;
        if (plan->x[i].tensor->dtype.code == OSW_COMPLEX)
            return OSW_UNSUPPORTED;
        if (!osw_rule_broadcast(plan->x[i].tensor, &plan->ndim, plan->shape))
            return osw_error(call, "operands do not broadcast");
    }
    if (rule->no_bool && osw_rule_category(plan->common) == 0)
        return osw_error(call, "not defined for bool");
    plan->dtype = plan->common;
    if (rule->result == OSW_RULE_BOOL)
        plan->dtype = osw_rule_dtype(OSW_BOOL, 8);
    if (rule->result != OSW_RULE_IN_PLACE)
        return 0;
    if (!self || self->ndim < plan->ndim)
        return osw_error(call, "operand is larger than the tensor to write");
    plan->dtype = self->dtype;
    if (!osw_rule_broadcast(self, &plan->ndim, plan->shape) ||
        memcmp(plan->shape, self->shape, sizeof(int64_t) * (size_t)self->ndim))
        return osw_error(call, "operand is larger than the tensor to write");
    if (osw_rule_category(plan->common) > osw_rule_category(plan->dtype))
        return osw_error(call, "result does not fit the tensor to write");
    return 0;
}

OSW_APART_CALL osw_tensor *osw_rule_declare(const osw_call *call,
                                            const struct osw_rule *rule,
                                            struct osw_rule_plan *plan, int *rc)
{
    osw_tensor *out = NULL;

    *rc = osw_rule_plan(call, rule, plan);
    if (*rc)
        return NULL;
    if (rule->result == OSW_RULE_IN_PLACE)
        out = osw_output_alias(call, 0, 0);
    else
        out = osw_output(call, 0, plan->dtype, plan->ndim, plan->shape, NULL);
    if (!out)
        *rc = OSW_ERROR;
    return out;
}

OSW_APART_CALL int osw_rule_meta(const osw_call *call,
                                 const struct osw_rule *rule)
{
    struct osw_rule_plan plan;
    int rc;

    osw_rule_declare(call, rule, &plan, &rc);
    return rc;
}

#endif /* OSW_APART_BODIES */

#endif /* OSW_LIBRARY_RULES_H */
