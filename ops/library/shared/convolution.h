/* shared/convolution.h - arguments of convolution and its gradients
 *
 * Three tensors belong to a convolution, a plain one and a transposed one:
 *
 *     x [batch, groups * n_x, sizes of x]
 *     y [batch, groups * n_y, sizes of y]
 *     w [groups * n_y, n_x, sizes of the kernel]
 *
 * Position o of y and tap k of the kernel meet place o * stride + k * dilation
 * - padding of x, in each dimension.  y is the sum of x * w over the channels
 * of a group and the taps, x that of y * w, and w that of x * y over batch and
 * positions.  A convolution makes y, a transposed one x; the gradients of
 * either are the other two.  Sizes that are missing to three dimensions are 1.
 */
#ifndef OSW_LIBRARY_CONVOLUTION_H
#define OSW_LIBRARY_CONVOLUTION_H

#include <opsweep/elements.h>
#include <opsweep/op.h>

enum { OSW_CONV_DIMS = 3 };

struct osw_conv {
    int64_t batch, groups, n_x, n_y; /* n_x, n_y: channels of a group */
    int64_t x[OSW_CONV_DIMS], y[OSW_CONV_DIMS], k[OSW_CONV_DIMS]; /* sizes */
    int64_t stride[OSW_CONV_DIMS], padding[OSW_CONV_DIMS];
    int64_t dilation[OSW_CONV_DIMS];
    int transposed;
    const osw_tensor *input, *weight;
    /* forward */
    const osw_tensor *bias; /* NULL: none */
    osw_tensor *out;
    /* backward; an output that is not asked for is NULL, number -1 */
    const osw_tensor *grad;
    osw_tensor *dinput, *dweight, *dbias;
    int i_dinput, i_dweight, i_dbias;
};

OSW_HD static inline int64_t osw_conv_prod(const int64_t *sizes)
{
    return sizes[0] * sizes[1] * sizes[2];
}

/* --- arguments --- */

/* A list of one integer, or of one for each dimension, into to[].  0 where it
 * is another, or one is below `least`.
 */
static inline int osw_conv_list(const osw_arg *a, int32_t dims, int64_t least,
                                int64_t *to)
{
    if (a->tag != OSW_ARG_LIST || (a->n != 1 && a->n != (uint32_t)dims))
        return 0;
    for (int32_t d = 0; d < dims; d++) {
        const osw_arg *item = &a->u.items[a->n == 1 ? 0 : d];

        if (item->tag != OSW_ARG_INT || item->u.i < least ||
            item->u.i > INT32_MAX)
            return 0;
        to[OSW_CONV_DIMS - dims + d] = item->u.i;
    }
    return 1;
}

/* Sizes of x and y from those of the input; 0 where there is no output. */
static inline int osw_conv_sizes(struct osw_conv *c, const int64_t *more)
{
    for (int d = 0; d < OSW_CONV_DIMS; d++) {
        int64_t reach = c->dilation[d] * (c->k[d] - 1) + 1;

        if (c->transposed)
            c->x[d] = (c->y[d] - 1) * c->stride[d] - 2 * c->padding[d] + reach +
                      more[d];
        else
            c->y[d] = (c->x[d] + 2 * c->padding[d] - reach) / c->stride[d] + 1;
        if (c->k[d] < 1 ||
            (c->transposed ? c->x[d] < 1 || c->y[d] < 1
                           : c->x[d] + 2 * c->padding[d] < reach))
            return 0;
    }
    return 1;
}

/* Channels of input and weight, by groups; 0 where they do not fit. */
static inline int osw_conv_channels(struct osw_conv *c)
{
    int64_t n_in = c->input->shape[1], n_w = c->weight->shape[0];

    if (c->groups < 1 || c->groups > INT32_MAX || n_w % c->groups != 0)
        return 0;
    c->batch = c->input->shape[0];
    c->n_y = n_w / c->groups;
    c->n_x = c->weight->shape[1];
    return n_in == (c->transposed ? n_w : c->groups * c->n_x);
}

static inline int osw_conv_is_float(const osw_tensor *t)
{
    return t->dtype.code == OSW_FLOAT || t->dtype.code == OSW_BFLOAT;
}

static inline int osw_conv_alike(const osw_tensor *a, const osw_tensor *b)
{
    return a->dtype.code == b->dtype.code && a->dtype.bits == b->dtype.bits;
}

/* (..., stride, padding, dilation, transposed, output_padding, groups), the
 * first of them argument `arg`; input and weight are set.  0, or
 * OSW_UNSUPPORTED where no convolution has such arguments.
 */
static inline int osw_conv_geometry(const osw_call *call, struct osw_conv *c,
                                    int arg)
{
    int64_t more[OSW_CONV_DIMS] = {0, 0, 0};
    int32_t dims = c->input->ndim - 2;
    int64_t *sizes;

    if (dims < 1 || dims > OSW_CONV_DIMS || c->weight->ndim != dims + 2)
        return OSW_UNSUPPORTED;
    for (int d = 0; d < OSW_CONV_DIMS; d++) {
        c->x[d] = c->y[d] = c->k[d] = c->stride[d] = c->dilation[d] = 1;
        c->padding[d] = 0;
    }
    c->transposed = osw_arg_int(call, arg + 3, 0) != 0;
    c->groups = osw_arg_int(call, arg + 5, 1);
    sizes = c->transposed ? c->y : c->x;
    for (int32_t d = 0; d < dims; d++) {
        sizes[OSW_CONV_DIMS - dims + d] = c->input->shape[2 + d];
        c->k[OSW_CONV_DIMS - dims + d] = c->weight->shape[2 + d];
    }
    if (!osw_conv_is_float(c->input) || !osw_conv_alike(c->input, c->weight) ||
        !osw_conv_list(osw_arg_at(call, arg), dims, 1, c->stride) ||
        !osw_conv_list(osw_arg_at(call, arg + 1), dims, 0, c->padding) ||
        !osw_conv_list(osw_arg_at(call, arg + 2), dims, 1, c->dilation) ||
        !osw_conv_list(osw_arg_at(call, arg + 4), dims, 0, more) ||
        !osw_conv_channels(c) || !osw_conv_sizes(c, more))
        return OSW_UNSUPPORTED;
    return 0;
}

static inline int64_t osw_conv_n_out(const struct osw_conv *c)
{
    return c->groups * (c->transposed ? c->n_x : c->n_y);
}

/* The shape of the output, [ndim of the input]. */
static inline void osw_conv_shape(const struct osw_conv *c, int64_t *shape)
{
    int32_t dims = c->input->ndim - 2;

    shape[0] = c->batch;
    shape[1] = osw_conv_n_out(c);
    for (int32_t d = 0; d < dims; d++)
        shape[2 + d] = (c->transposed ? c->x : c->y)[OSW_CONV_DIMS - dims + d];
}

/* (input, weight, bias, stride, padding, dilation, transposed, output_padding,
 * groups): what the arguments say, with no output declared.
 */
static inline int osw_conv_read(const osw_call *call, struct osw_conv *c)
{
    int rc;

    c->input = osw_arg_tensor(call, 0);
    c->weight = osw_arg_tensor(call, 1);
    c->bias = osw_arg_tensor(call, 2);
    if (!c->input || !c->weight)
        return osw_error(call, "expected an input and a weight");
    rc = osw_conv_geometry(call, c, 3);
    if (rc)
        return rc;
    if (c->bias && (!osw_conv_alike(c->bias, c->input) || c->bias->ndim != 1 ||
                    c->bias->shape[0] != osw_conv_n_out(c)))
        return OSW_UNSUPPORTED;
    return 0;
}

/* ... -> out */
static inline int osw_conv_open(const osw_call *call, struct osw_conv *c)
{
    int64_t shape[2 + OSW_CONV_DIMS];
    int rc = osw_conv_read(call, c);

    if (rc)
        return rc;
    osw_conv_shape(c, shape);
    c->out = osw_output(call, 0, c->input->dtype, c->input->ndim, shape, NULL);
    return c->out ? 0 : OSW_ERROR;
}

/* --- arguments of the gradients --- */

/* (grad_output, input, weight, bias_sizes, stride, padding, dilation,
 * transposed, output_padding, groups, output_mask): what the arguments say;
 * wanted[3]: the mask.
 */
static inline int osw_conv_read_backward(const osw_call *call,
                                         struct osw_conv *c, int *wanted)
{
    const osw_arg *mask = osw_arg_at(call, 10);
    int64_t shape[2 + OSW_CONV_DIMS];
    int rc;

    c->grad = osw_arg_tensor(call, 0);
    c->input = osw_arg_tensor(call, 1);
    c->weight = osw_arg_tensor(call, 2);
    if (!c->grad || !c->input || !c->weight || mask->tag != OSW_ARG_LIST ||
        mask->n != 3)
        return osw_error(call, "expected three tensors and a mask of three");
    for (int i = 0; i < 3; i++)
        wanted[i] = mask->u.items[i].u.i != 0;
    rc = osw_conv_geometry(call, c, 4);
    if (rc)
        return rc;
    osw_conv_shape(c, shape);
    if (c->grad->ndim != c->input->ndim || !osw_conv_alike(c->grad, c->input))
        return OSW_UNSUPPORTED;
    for (int32_t d = 0; d < c->grad->ndim; d++)
        if (c->grad->shape[d] != shape[d])
            return OSW_UNSUPPORTED;
    return 0;
}

/* ... -> those of (dinput, dweight, dbias) that the mask asks for */
static inline int osw_conv_open_backward(const osw_call *call,
                                         struct osw_conv *c)
{
    int rc, n = 0, wanted[3] = {0, 0, 0};
    osw_dtype dtype;
    int64_t n_out;

    rc = osw_conv_read_backward(call, c, wanted);
    if (rc)
        return rc;
    dtype = c->input->dtype;
    n_out = osw_conv_n_out(c);
    c->i_dinput = wanted[0] ? n++ : -1;
    c->i_dweight = wanted[1] ? n++ : -1;
    c->i_dbias = wanted[2] ? n++ : -1;
    if (wanted[0])
        c->dinput = osw_output(call, c->i_dinput, dtype, c->input->ndim,
                               c->input->shape, NULL);
    if (wanted[1])
        c->dweight = osw_output(call, c->i_dweight, dtype, c->weight->ndim,
                                c->weight->shape, NULL);
    if (wanted[2])
        c->dbias = osw_output(call, c->i_dbias, dtype, 1, &n_out, NULL);
    return (wanted[0] && !c->dinput) || (wanted[1] && !c->dweight) ||
                   (wanted[2] && !c->dbias)
               ? OSW_ERROR
               : 0;
}

/* Which of the arguments of a backward are x and y. */
static inline const osw_tensor *osw_conv_x(const struct osw_conv *c)
{
    return c->transposed ? c->grad : c->input;
}

static inline const osw_tensor *osw_conv_y(const struct osw_conv *c)
{
    return c->transposed ? c->input : c->grad;
}

/* Dense tensors and a kernel of one tap: an image is seen as one line. */
static inline void osw_conv_flatten(struct osw_conv *c)
{
    for (int d = 0; d < OSW_CONV_DIMS; d++)
        if (c->k[d] != 1 || c->stride[d] != 1 || c->padding[d] != 0 ||
            c->x[d] != c->y[d])
            return;
    c->x[2] = c->y[2] = osw_conv_prod(c->x);
    c->x[0] = c->x[1] = c->y[0] = c->y[1] = 1;
}

/* --- a tensor in five dimensions --- */

struct osw_conv_image {
    osw_dtype dtype;
    char *data;
    int64_t batch, channel, step[OSW_CONV_DIMS]; /* strides in elements */
};

static inline struct osw_conv_image osw_conv_image_of(const osw_tensor *t)
{
    struct osw_conv_image m = {
        t->dtype, (char *)osw_data(t), t->strides[0], t->strides[1], {0, 0, 0}};

    for (int32_t d = 2; d < t->ndim; d++)
        m.step[OSW_CONV_DIMS - t->ndim + d] = t->strides[d];
    return m;
}

OSW_HD static inline char *osw_conv_at(const struct osw_conv_image *m,
                                       int64_t n, int64_t channel, int64_t i,
                                       int64_t j, int64_t k)
{
    return m->data + (n * m->batch + channel * m->channel + i * m->step[0] +
                      j * m->step[1] + k * m->step[2]) *
                         (int64_t)(m->dtype.bits / 8);
}

/* --- what is summed to one tensor from another ---
 *
 * y from x: position q and tap t meet place q * step + shift of x.  x from y is
 * the same for positions of x whose remainders by the stride are equal: they
 * meet the same taps, and neighbours among them meet neighbours in y.  So x is
 * made in parts, one for each remainder, and y in one part.
 */
struct osw_conv_axis {
    int64_t n, first, by; /* position q of n is at first + q * by */
    int64_t size;         /* of the tensor that is read */
    int64_t step;
    int64_t n_taps, tap, tap_by; /* tap t of n is tap + t * tap_by of w, */
    int64_t shift, shift_by;     /* and its shift is shift + t * shift_by */
};

struct osw_conv_part {
    struct osw_conv_axis axis[OSW_CONV_DIMS];
};

static inline struct osw_conv_axis osw_conv_axis_y(const struct osw_conv *c,
                                                   int d)
{
    struct osw_conv_axis a = {c->y[d], 0, 1, c->x[d],        c->stride[d],
                              c->k[d], 0, 1, -c->padding[d], c->dilation[d]};

    return a;
}

static inline struct osw_conv_axis osw_conv_axis_x(const struct osw_conv *c,
                                                   int d, int64_t remainder)
{
    int64_t by = c->stride[d];
    struct osw_conv_axis a = {(c->x[d] - remainder + by - 1) / by,
                              remainder,
                              by,
                              c->y[d],
                              1,
                              0,
                              0,
                              1,
                              0,
                              0};

    for (int64_t k = 0; k < c->k[d]; k++) {
        int64_t place = remainder + c->padding[d] - k * c->dilation[d];

        if (place % by != 0)
            continue;
        if (a.n_taps == 0) {
            a.tap = k;
            a.shift = place / by;
        } else if (a.n_taps == 1) {
            a.tap_by = k - a.tap;
            a.shift_by = place / by - a.shift;
        }
        a.n_taps++;
    }
    return a;
}

static inline int64_t osw_conv_remainders(const struct osw_conv *c, int d)
{
    return c->x[d] < c->stride[d] ? c->x[d] : c->stride[d];
}

static inline int64_t osw_conv_n_parts(const struct osw_conv *c, int to_y)
{
    return to_y ? 1
                : osw_conv_remainders(c, 0) * osw_conv_remainders(c, 1) *
                      osw_conv_remainders(c, 2);
}

static inline void osw_conv_part_of(const struct osw_conv *c, int to_y,
                                    int64_t i, struct osw_conv_part *p)
{
    for (int d = OSW_CONV_DIMS - 1; d >= 0; d--) {
        int64_t n = to_y ? 1 : osw_conv_remainders(c, d);

        p->axis[d] =
            to_y ? osw_conv_axis_y(c, d) : osw_conv_axis_x(c, d, i % n);
        i /= n;
    }
}

/* Positions of a part in one image. */
OSW_HD static inline int64_t osw_conv_positions(const struct osw_conv_part *p)
{
    return p->axis[0].n * p->axis[1].n * p->axis[2].n;
}

OSW_HD static inline int64_t osw_conv_taps(const struct osw_conv_part *p)
{
    return p->axis[0].n_taps * p->axis[1].n_taps * p->axis[2].n_taps;
}

/* Tap i of a part: its shifts, and its number in the kernel. */
OSW_HD static inline int64_t osw_conv_tap_at(const struct osw_conv *c,
                                             const struct osw_conv_part *p,
                                             int64_t i, int64_t *shift)
{
    int64_t number = 0, size = 1;

    for (int d = OSW_CONV_DIMS - 1; d >= 0; d--) {
        const struct osw_conv_axis *a = &p->axis[d];
        int64_t t = i % a->n_taps;

        shift[d] = a->shift + t * a->shift_by;
        number += (a->tap + t * a->tap_by) * size;
        size *= c->k[d];
        i /= a->n_taps;
    }
    return number;
}

/* Positions of the batch, those of an image following those of the one before:
 * neighbours along the last dimension.
 */
struct osw_conv_run {
    int64_t j, n;                    /* of those that are walked */
    int64_t batch, q[OSW_CONV_DIMS]; /* the first */
};

/* The next run of positions [j0, j0 + nj), after {0}; 0: there is none. */
static inline int osw_conv_next(const struct osw_conv_part *p, int64_t j0,
                                int64_t nj, struct osw_conv_run *r)
{
    const struct osw_conv_axis *a = p->axis;

    r->j += r->n;
    if (r->j >= nj)
        return 0;
    if (r->n == 0) {
        r->q[2] = j0 % a[2].n;
        r->q[1] = j0 / a[2].n % a[1].n;
        r->q[0] = j0 / a[2].n / a[1].n % a[0].n;
        r->batch = j0 / a[2].n / a[1].n / a[0].n;
    } else {
        r->q[2] = 0;
        r->q[1] = r->q[1] + 1 == a[1].n ? 0 : r->q[1] + 1;
        r->q[0] = r->q[1] ? r->q[0] : r->q[0] + 1;
        if (r->q[0] == a[0].n) {
            r->q[0] = 0;
            r->batch++;
        }
    }
    r->n = a[2].n - r->q[2];
    if (r->n > nj - r->j)
        r->n = nj - r->j;
    return 1;
}

/* Where position q of a part is, among `size` places of an image. */
static inline int64_t osw_conv_place(const struct osw_conv_part *p,
                                     const int64_t *q, const int64_t *size)
{
    int64_t at = 0;

    for (int d = 0; d < OSW_CONV_DIMS; d++)
        at = at * size[d] + p->axis[d].first + q[d] * p->axis[d].by;
    return at;
}

/* Which of the n positions from q on meet a place that there is: [lo, hi). */
OSW_HD static inline void osw_conv_inside(const struct osw_conv_axis *a,
                                          int64_t shift, int64_t q, int64_t n,
                                          int64_t *lo, int64_t *hi)
{
    int64_t first = shift < 0 ? -shift : 0;
    int64_t end = a->size > shift ? a->size - shift : 0;

    if (a->step != 1) { /* a division takes longer than the rest */
        first = (first + a->step - 1) / a->step;
        end = (end + a->step - 1) / a->step;
    }
    *lo = first < q ? 0 : first - q < n ? first - q : n;
    *hi = end < q ? 0 : end - q < n ? end - q : n;
    if (*hi < *lo)
        *hi = *lo;
}

/* A tap as a table has it. */
struct osw_conv_tap {
    int64_t number, shift[OSW_CONV_DIMS];
    int64_t first, end; /* positions of the last dimension that meet a place */
};

static inline void osw_conv_list_taps(const struct osw_conv *c,
                                      const struct osw_conv_part *p,
                                      struct osw_conv_tap *taps)
{
    const struct osw_conv_axis *last = &p->axis[OSW_CONV_DIMS - 1];

    for (int64_t i = 0; i < osw_conv_taps(p); i++) {
        struct osw_conv_tap *t = &taps[i];

        t->number = osw_conv_tap_at(c, p, i, t->shift);
        osw_conv_inside(last, t->shift[OSW_CONV_DIMS - 1], 0, last->n,
                        &t->first, &t->end);
    }
}

#endif /* OSW_LIBRARY_CONVOLUTION_H */
