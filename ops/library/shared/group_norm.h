/* shared/group_norm.h - arguments of native_group_norm and its backward, in C
 * and in kernels
 *
 * A group is some channels of one image: n elements, `depth` channels.
 */
#ifndef OSW_LIBRARY_GROUP_NORM_H
#define OSW_LIBRARY_GROUP_NORM_H

#include "image.h"

struct osw_group_norm {
    struct osw_image x, out; /* out: of the backward, dx */
    struct osw_image grad;   /* backward */
    int64_t groups, depth, n;
    double eps;
    struct osw_channels weight, bias; /* [c]; NULL data: 1 and 0 */
    struct osw_channels mean, rstd;   /* [images, groups] */
    struct osw_channels dweight, dbias;
    int i_out, i_dweight, i_dbias; /* numbers of outputs, -1: not wanted */
};

/* Where element i of group g of image n is. */
OSW_HD static inline struct osw_spot
osw_group_norm_spot(const struct osw_group_norm *p, int64_t n, int64_t g,
                    int64_t i)
{
    struct osw_spot s;

    s.n = n;
    s.x = i % p->x.x;
    i /= p->x.x;
    s.y = i % p->x.y;
    s.c = g * p->depth + i / p->x.y;
    return s;
}

OSW_HD static inline double osw_group_norm_get(const struct osw_image *m,
                                               struct osw_spot s)
{
    return osw_image_get(m, s.n, s.c, s.y, s.x);
}

OSW_HD static inline int64_t osw_group_norm_at(const struct osw_image *m,
                                               struct osw_spot s)
{
    return osw_image_offset(m, s.n, s.c, s.y, s.x);
}

/* --- arguments --- */

/* x, and N, C, HxW and group from argument `at` on. */
static inline int osw_group_norm_input(const osw_call *call,
                                       struct osw_group_norm *p,
                                       const osw_tensor *x, int at)
{
    int64_t n = osw_arg_int(call, at, -1), c = osw_arg_int(call, at + 1, -1);
    int64_t plane = osw_arg_int(call, at + 2, -1);

    p->groups = osw_arg_int(call, at + 3, 0);
    if (!x || x->ndim < 2)
        return osw_error(call, "expected a tensor of 2 or more dimensions");
    if (!osw_image_is_float(x) || osw_image_joined(&p->x, x))
        return OSW_UNSUPPORTED;
    if (n != p->x.n || c != p->x.c || plane != p->x.y * p->x.x)
        return osw_error(call, "N, C or HxW is not that of the input");
    if (p->groups < 1 || c % p->groups != 0)
        return osw_error(call, "group does not divide C");
    p->depth = c / p->groups;
    p->n = p->depth * plane;
    return 0;
}

/* Argument i: None, or n numbers. */
static inline int osw_group_norm_vector(const osw_call *call, int i, int64_t n,
                                        struct osw_channels *v)
{
    const osw_tensor *t = osw_arg_tensor(call, i);

    if (t && osw_numel(t) != n)
        return osw_error(call, "expected a number for each channel or group");
    return osw_channels_of(v, t);
}

/* (input, weight, bias, N, C, HxW, group, eps) -> (out, mean, rstd), the last
 * two of the dtype of the parameters where that is wider than the input's
 */
static inline int osw_group_norm_open(const osw_call *call,
                                      struct osw_group_norm *p)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    const osw_tensor *weight = osw_arg_tensor(call, 1), *out, *mean, *rstd;
    int rc = osw_group_norm_input(call, p, x, 3);
    osw_dtype stat;
    int64_t shape[2];

    if (!rc)
        rc = osw_group_norm_vector(call, 1, p->x.c, &p->weight);
    if (!rc)
        rc = osw_group_norm_vector(call, 2, p->x.c, &p->bias);
    if (rc)
        return rc;
    p->eps = osw_arg_float(call, 7, 1e-5);
    stat =
        weight && weight->dtype.bits > x->dtype.bits ? weight->dtype : x->dtype;
    shape[0] = p->x.n;
    shape[1] = p->groups;
    out = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    mean = osw_output(call, 1, stat, 2, shape, NULL);
    rstd = osw_output(call, 2, stat, 2, shape, NULL);
    if (!out || !mean || !rstd)
        return OSW_ERROR;
    return osw_image_joined(&p->out, out) || osw_channels_of(&p->mean, mean) ||
           osw_channels_of(&p->rstd, rstd);
}

/* Output i: a number for each channel. */
static inline int osw_group_norm_output(const osw_call *call,
                                        const struct osw_group_norm *p, int i,
                                        osw_dtype dtype, struct osw_channels *v)
{
    osw_tensor *t = osw_output(call, i, dtype, 1, &p->x.c, NULL);

    return t ? osw_channels_of(v, t) : OSW_ERROR;
}

/* (grad_out, input, mean, rstd, weight, N, C, HxW, group, output_mask) -> those
 * of (dx, dweight, dbias) that the mask asks for
 */
static inline int osw_group_norm_open_backward(const osw_call *call,
                                               struct osw_group_norm *p)
{
    const osw_tensor *grad = osw_arg_tensor(call, 0);
    const osw_tensor *x = osw_arg_tensor(call, 1);
    const osw_tensor *weight = osw_arg_tensor(call, 4);
    const osw_arg *mask = osw_arg_at(call, 9);
    int rc = osw_group_norm_input(call, p, x, 5), n = 0;
    osw_dtype dtype;

    if (rc)
        return rc;
    if (!grad || !osw_image_same_shape(grad, x) || !osw_arg_tensor(call, 2) ||
        !osw_arg_tensor(call, 3))
        return osw_error(call, "expected a gradient like the input, mean and "
                               "rstd");
    if (!osw_image_is_float(grad) || osw_image_joined(&p->grad, grad))
        return OSW_UNSUPPORTED;
    if (mask->tag != OSW_ARG_LIST || mask->n != 3)
        return osw_error(call, "expected a mask of three");
    rc = osw_group_norm_vector(call, 2, p->x.n * p->groups, &p->mean);
    if (!rc)
        rc = osw_group_norm_vector(call, 3, p->x.n * p->groups, &p->rstd);
    if (!rc)
        rc = osw_group_norm_vector(call, 4, p->x.c, &p->weight);
    if (rc)
        return rc;
    dtype = weight ? weight->dtype : x->dtype;
    p->i_out = mask->u.items[0].u.i ? n++ : -1;
    p->i_dweight = mask->u.items[1].u.i ? n++ : -1;
    p->i_dbias = mask->u.items[2].u.i ? n++ : -1;
    if (p->i_out >= 0) {
        osw_tensor *dx = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);

        if (!dx || osw_image_joined(&p->out, dx))
            return OSW_ERROR;
    }
    if (p->i_dweight >= 0 &&
        osw_group_norm_output(call, p, p->i_dweight, dtype, &p->dweight))
        return OSW_ERROR;
    return p->i_dbias >= 0
               ? osw_group_norm_output(call, p, p->i_dbias, dtype, &p->dbias)
               : 0;
}

#endif /* OSW_LIBRARY_GROUP_NORM_H */
