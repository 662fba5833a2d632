/* shared/pair_loss_plain.h - baseline: a loss of each pair, or their sum in
 * double, by a plain loop over elements of one dtype
 */
#ifndef OSW_LIBRARY_PAIR_LOSS_PLAIN_H
#define OSW_LIBRARY_PAIR_LOSS_PLAIN_H

#include "pair_loss.h"
#include "plain.h"

/* Rows of n elements: the sum of the losses; y [n] is NULL or takes each. */
typedef double osw_pair_loss_f(const void *p, int64_t p_step, const void *q,
                               int64_t q_step, void *y, int64_t n,
                               double width);

struct osw_pair_loss_row {
    int code, bits;
    osw_pair_loss_f *row;
};

#define OSW_PAIR_LOSS_LOOP(d, code, bits, E, get, put, name, T, formula)       \
    static double name##_##d(const void *p, int64_t p_step, const void *q,     \
                             int64_t q_step, void *to, int64_t n,              \
                             double given)                                     \
    {                                                                          \
        const E *x = (const E *)p, *t = (const E *)q;                          \
        const T width = (T)given;                                              \
        E *y = (E *)to;                                                        \
        double sum = 0.0;                                                      \
                                                                               \
        (void)width;                                                           \
        for (int64_t i = 0; i < n; i++) {                                      \
            T a = (T)get(x[i * p_step]), b = (T)get(t[i * q_step]);            \
            T loss = (T)(formula);                                             \
                                                                               \
            if (y)                                                             \
                y[i] = (E)put(loss);                                           \
            sum += (double)loss;                                               \
        }                                                                      \
        return sum;                                                            \
    }

#define OSW_PAIR_LOSS_ROW(d, code, bits, E, get, put, name)                    \
    {code, bits, name##_##d},

/* Loops of a formula of a = self, b = target and `width`, all of type T. */
#define OSW_PAIR_LOSS(name, formula)                                           \
    OSW_PLAIN_16_AND_32(OSW_PAIR_LOSS_LOOP, name, float, formula)              \
    OSW_PLAIN_64(OSW_PAIR_LOSS_LOOP, name, double, formula)                    \
    static const struct osw_pair_loss_row name[] = {                           \
        OSW_PLAIN_16_AND_32(OSW_PAIR_LOSS_ROW, name)                           \
            OSW_PLAIN_64(OSW_PAIR_LOSS_ROW, name){0, 0, NULL}};

/* rc: what opening the arguments returned. */
static inline int osw_pair_loss_plain(const osw_call *call,
                                      const struct osw_pair_loss *l, int rc,
                                      const struct osw_pair_loss_row *r)
{
    int64_t n, cols;
    double sum = 0.0;
    int threads;

    while (!rc && r->row &&
           (r->code != l->a->dtype.code || r->bits != l->a->dtype.bits))
        r++;
    if (rc || !r->row)
        return rc ? rc : OSW_UNSUPPORTED;
    n = osw_numel(l->a);
    cols = l->a->ndim && n ? l->a->shape[l->a->ndim - 1] : 1;
    threads = osw_plain_threads(call, n);
#pragma omp parallel for num_threads(threads) if (threads > 1)                 \
    reduction(+ : sum)
    for (int64_t i = 0; i < n; i += cols)
        sum += r->row(osw_at(l->a, osw_offset(l->a, i)),
                      l->a->ndim ? l->a->strides[l->a->ndim - 1] : 1,
                      osw_at(l->b, osw_offset(l->b, i)),
                      l->b->ndim ? l->b->strides[l->b->ndim - 1] : 1,
                      l->each ? osw_at(l->out, i) : NULL, cols, l->width);
    if (!l->each)
        osw_set(l->out, 0, sum / l->divisor);
    return 0;
}

#endif /* OSW_LIBRARY_PAIR_LOSS_PLAIN_H */
