/* shared/convolution_work.h - operations and bytes of a convolution
 *
 * Both are the least that a correct call needs: padding is not multiplied, and
 * places that no tap meets are not read.
 */
#ifndef OSW_LIBRARY_CONVOLUTION_WORK_H
#define OSW_LIBRARY_CONVOLUTION_WORK_H

#include "convolution.h"

/* Along one dimension: pairs of a position of y and a tap that meet a place of
 * x, and how many of each are in such a pair.
 */
struct osw_conv_met {
    int64_t pairs, x, y, k;
};

static inline struct osw_conv_met osw_conv_meet(const struct osw_conv *c, int d)
{
    struct osw_conv_met met = {0, 0, 0, 0};
    struct osw_conv_axis a = osw_conv_axis_y(c, d);
    int64_t lo, hi, t, i;

    for (t = 0; t < c->k[d]; t++) {
        osw_conv_inside(&a, a.shift + t * a.shift_by, 0, a.n, &lo, &hi);
        met.pairs += hi - lo;
        met.k += hi > lo;
    }
    for (i = 0; i < c->y[d]; i++) {
        for (t = 0; t < c->k[d]; t++) {
            int64_t place = i * c->stride[d] + a.shift + t * c->dilation[d];

            if (place >= 0 && place < c->x[d])
                break;
        }
        met.y += t < c->k[d];
    }
    for (i = 0; i < c->x[d]; i++) {
        for (t = 0; t < c->k[d]; t++) {
            int64_t from = i - a.shift - t * c->dilation[d];

            if (from >= 0 && from % c->stride[d] == 0 &&
                from / c->stride[d] < c->y[d])
                break;
        }
        met.x += t < c->k[d];
    }
    return met;
}

/* Bytes of t, of whose last dimensions so many places are read; an element that
 * is repeated by a stride of 0 counts once.
 */
static inline double osw_conv_bytes(const osw_tensor *t, const int64_t *places)
{
    double n = t->dtype.bits / 8;

    for (int32_t d = 0; d < t->ndim; d++) {
        int64_t size =
            d < 2 ? t->shape[d] : places[OSW_CONV_DIMS - t->ndim + d];

        n *= (double)(t->strides[d] == 0 && size > 1 ? 1 : size);
    }
    return n;
}

/* Operations that make one of x, y and the weight from the other two, and the
 * places of each that are met.
 */
static inline double osw_conv_count(const struct osw_conv *c, int64_t *x,
                                    int64_t *y, int64_t *k)
{
    double flops = 2.0 * (double)(c->batch * c->groups * c->n_x * c->n_y);

    for (int d = 0; d < OSW_CONV_DIMS; d++) {
        struct osw_conv_met met = osw_conv_meet(c, d);

        flops *= (double)met.pairs;
        x[d] = met.x;
        y[d] = met.y;
        k[d] = met.k;
    }
    return flops;
}

static inline double osw_conv_all_bytes(const osw_tensor *t)
{
    return t ? (double)osw_numel(t) * (t->dtype.bits / 8) : 0.0;
}

static inline int osw_conv_work(const osw_call *call, osw_work *work)
{
    int64_t x[OSW_CONV_DIMS], y[OSW_CONV_DIMS], k[OSW_CONV_DIMS];
    struct osw_conv c;
    int rc = osw_conv_read(call, &c);
    double out;

    if (rc)
        return rc;
    out = (double)(c.batch * osw_conv_n_out(&c) *
                   osw_conv_prod(c.transposed ? c.x : c.y));
    work->flops = osw_conv_count(&c, x, y, k);
    work->bytes = osw_conv_bytes(c.input, c.transposed ? y : x) +
                  osw_conv_bytes(c.weight, k) + osw_conv_all_bytes(c.bias) +
                  out * (c.input->dtype.bits / 8);
    return 0;
}

static inline int osw_conv_work_backward(const osw_call *call, osw_work *work)
{
    int64_t x[OSW_CONV_DIMS], y[OSW_CONV_DIMS], k[OSW_CONV_DIMS];
    int wanted[3] = {0, 0, 0}, rc;
    struct osw_conv c;
    double one;

    rc = osw_conv_read_backward(call, &c, wanted);
    if (rc)
        return rc;
    one = osw_conv_count(&c, x, y, k);
    work->flops = work->bytes = 0.0;
    if (wanted[0] || wanted[1] || wanted[2])
        work->bytes += osw_conv_bytes(c.grad, c.transposed ? x : y);
    if (wanted[0]) {
        work->flops += one;
        work->bytes +=
            osw_conv_bytes(c.weight, k) + osw_conv_all_bytes(c.input);
    }
    if (wanted[1]) {
        work->flops += one;
        work->bytes += osw_conv_bytes(c.input, c.transposed ? y : x) +
                       osw_conv_all_bytes(c.weight);
    }
    if (wanted[2]) {
        work->flops += (double)osw_numel(c.grad);
        work->bytes += (double)osw_conv_n_out(&c) * (c.grad->dtype.bits / 8);
    }
    return 0;
}

#endif /* OSW_LIBRARY_CONVOLUTION_WORK_H */
