/* ops/inputs/shape_value.c - what parts of a shape's expression come to */
#include "ops/inputs/shape_value.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int f_max(const struct osw_shape_value *v, size_t n,
                 struct osw_shape_value *out, char why[OSW_SHAPE_WHY])
{
    (void)why;
    out->number = v[0].number;
    for (size_t i = 1; i < n; i++)
        if (v[i].number > out->number)
            out->number = v[i].number;
    return 0;
}

static int f_min(const struct osw_shape_value *v, size_t n,
                 struct osw_shape_value *out, char why[OSW_SHAPE_WHY])
{
    (void)why;
    out->number = v[0].number;
    for (size_t i = 1; i < n; i++)
        if (v[i].number < out->number)
            out->number = v[i].number;
    return 0;
}

static int f_len(const struct osw_shape_value *v, size_t n,
                 struct osw_shape_value *out, char why[OSW_SHAPE_WHY])
{
    (void)n, (void)why;
    out->number = (int64_t)v[0].n;
    return 0;
}

static int f_prod(const struct osw_shape_value *v, size_t n,
                  struct osw_shape_value *out, char why[OSW_SHAPE_WHY])
{
    (void)n;
    out->number = 1;
    for (size_t i = 0; i < v[0].n; i++)
        if (__builtin_mul_overflow(out->number, v[0].items[i], &out->number)) {
            snprintf(why, OSW_SHAPE_WHY, "a product of more than 2^63 - 1");
            return -1;
        }
    return 0;
}

static int f_broadcast(const struct osw_shape_value *v, size_t n,
                       struct osw_shape_value *out, char why[OSW_SHAPE_WHY])
{
    for (size_t i = 0; i < n; i++)
        out->n = v[i].n > out->n ? v[i].n : out->n;
    for (size_t d = 0; d < out->n; d++) {
        int64_t *size = &out->items[out->n - 1 - d];

        *size = 1;
        for (size_t i = 0; i < n; i++) {
            int64_t other = d < v[i].n ? v[i].items[v[i].n - 1 - d] : 1;

            if (*size == 1) {
                *size = other;
            } else if (other != 1 && other != *size) {
                snprintf(why, OSW_SHAPE_WHY, "cannot broadcast %lld and %lld",
                         (long long)*size, (long long)other);
                return -1;
            }
        }
    }
    return 0;
}

/* A dimension of `size`, which may be negative, as one of 0..size - 1; or -1
 * with the reason in why.
 */
static int find_dim(int64_t dim, size_t size, char why[OSW_SHAPE_WHY])
{
    int64_t n = (int64_t)size;

    if (dim >= -n && dim < n)
        return (int)(dim < 0 ? dim + n : dim);
    snprintf(why, OSW_SHAPE_WHY, "dimension %lld of %zu", (long long)dim, size);
    return -1;
}

/* reduced(list, dims, keep): without these dimensions, or with size 1 there;
 * no dims are all of them, as in torch.
 */
static int f_reduced(const struct osw_shape_value *v, size_t n,
                     struct osw_shape_value *out, char why[OSW_SHAPE_WHY])
{
    bool gone[OSW_SHAPE_MAX_ITEMS] = {false};
    bool one = v[1].kind == OSW_SHAPE_NUMBER;
    const int64_t *dims = one ? &v[1].number : v[1].items;
    size_t n_dims = one ? 1 : v[1].n;
    bool all = n_dims == 0;

    (void)n;
    for (size_t i = 0; i < n_dims; i++) {
        int dim;

        if (v[0].n == 0 && (dims[i] == 0 || dims[i] == -1))
            continue; /* a tensor without dimensions: as in torch */
        dim = find_dim(dims[i], v[0].n, why);
        if (dim < 0)
            return -1;
        gone[dim] = true;
    }
    for (size_t d = 0; d < v[0].n; d++)
        if (!all && !gone[d])
            out->items[out->n++] = v[0].items[d];
        else if (v[2].number)
            out->items[out->n++] = 1;
    return 0;
}

__extension__ typedef __int128 wide; /* products of sizes do not overflow */

/* One size of convolved(): (in, kernel, stride, padding, dilation, more); -1:
 * there is none.
 */
static int convolved_size(const int64_t a[6], bool transposed, int64_t *out)
{
    wide reach = a[4] * ((wide)a[1] - 1) + 1, size;

    if (a[2] < 1)
        return -1;
    size = transposed ? ((wide)a[0] - 1) * a[2] - 2 * (wide)a[3] + reach + a[5]
                      : a[0] + 2 * (wide)a[3] - reach;
    if (size < 0 || size > INT64_MAX - 1)
        return -1;
    *out = transposed ? (int64_t)size : (int64_t)size / a[2] + 1;
    return 0;
}

/* One size of pooled(), the same; `ceil`: a window may begin inside and end
 * past the input and its padding.
 */
static int pooled_size(const int64_t a[6], bool ceil, int64_t *out)
{
    int64_t reaching[6];

    memcpy(reaching, a, sizeof(reaching));
    if (a[2] < 1 ||
        (ceil && __builtin_add_overflow(a[0], a[2] - 1, &reaching[0])) ||
        convolved_size(reaching, false, out) < 0)
        return -1;
    if (ceil && (wide)(*out - 1) * a[2] >= (wide)a[0] + a[3])
        --*out; /* the last window would begin past the input */
    return 0;
}

/* The sizes of v[0], of what slides over them: kernel, stride, padding and
 * dilation follow, in `lists` with all that one_size takes.  Lists of one item
 * count for each dimension, as in torch.
 */
static int slide(const struct osw_shape_value *v, const size_t *lists,
                 size_t n_lists,
                 int (*one_size)(const int64_t a[6], bool flag, int64_t *out),
                 struct osw_shape_value *out, char why[OSW_SHAPE_WHY])
{
    for (size_t k = 1; k < n_lists; k++)
        if (v[lists[k]].n != 1 && v[lists[k]].n != v[0].n) {
            snprintf(why, OSW_SHAPE_WHY,
                     "parameter %zu: expected 1 or %zu items, found %zu",
                     lists[k] + 1, v[0].n, v[lists[k]].n);
            return -1;
        }
    out->n = v[0].n;
    for (size_t d = 0; d < out->n; d++) {
        int64_t a[6] = {0};

        for (size_t k = 0; k < n_lists; k++)
            a[k] = v[lists[k]].items[v[lists[k]].n == 1 ? 0 : d];
        if (one_size(a, v[5].number != 0, &out->items[d]) < 0) {
            snprintf(why, OSW_SHAPE_WHY,
                     "no output: size %lld, kernel %lld, stride %lld",
                     (long long)a[0], (long long)a[1], (long long)a[2]);
            return -1;
        }
    }
    return 0;
}

/* convolved(sizes, kernel, stride, padding, dilation, transposed, more): the
 * sizes of a convolution's output, or of a transposed one's.
 */
static int f_convolved(const struct osw_shape_value *v, size_t n,
                       struct osw_shape_value *out, char why[OSW_SHAPE_WHY])
{
    static const size_t lists[] = {0, 1, 2, 3, 4, 6};

    (void)n;
    return slide(v, lists, 6, convolved_size, out, why);
}

/* pooled(sizes, kernel, stride, padding, dilation, ceil): the same of pooling;
 * without a stride it is the kernel's size.
 */
static int f_pooled(const struct osw_shape_value *v, size_t n,
                    struct osw_shape_value *out, char why[OSW_SHAPE_WHY])
{
    static const size_t with[] = {0, 1, 2, 3, 4}, without[] = {0, 1, 1, 3, 4};

    (void)n;
    return slide(v, v[2].n ? with : without, 5, pooled_size, out, why);
}

/* padded(sizes, pads): two pads for each of the last dimensions, last first. */
static int f_padded(const struct osw_shape_value *v, size_t n,
                    struct osw_shape_value *out, char why[OSW_SHAPE_WHY])
{
    (void)n;
    if (v[1].n % 2 != 0 || v[1].n / 2 > v[0].n) {
        snprintf(why, OSW_SHAPE_WHY,
                 "expected two pads for each of at most %zu dimensions, found "
                 "%zu",
                 v[0].n, v[1].n);
        return -1;
    }
    out->n = v[0].n;
    for (size_t d = 0; d < out->n; d++) {
        wide size = v[0].items[out->n - 1 - d];

        if (d < v[1].n / 2)
            size += (wide)v[1].items[2 * d] + v[1].items[2 * d + 1];
        if (size < 0 || size > INT64_MAX) {
            snprintf(why, OSW_SHAPE_WHY, "no output: size %lld and its pads",
                     (long long)v[0].items[out->n - 1 - d]);
            return -1;
        }
        out->items[out->n - 1 - d] = (int64_t)size;
    }
    return 0;
}

/* tiled(sizes, repeats): each size so many times; the shorter list has ones in
 * front.
 */
static int f_tiled(const struct osw_shape_value *v, size_t n,
                   struct osw_shape_value *out, char why[OSW_SHAPE_WHY])
{
    (void)n;
    out->n = v[0].n > v[1].n ? v[0].n : v[1].n;
    for (size_t d = 0; d < out->n; d++) {
        int64_t a = d < v[0].n ? v[0].items[v[0].n - 1 - d] : 1;
        int64_t b = d < v[1].n ? v[1].items[v[1].n - 1 - d] : 1;

        if (__builtin_mul_overflow(a, b, &out->items[out->n - 1 - d])) {
            snprintf(why, OSW_SHAPE_WHY, "a product of more than 2^63 - 1");
            return -1;
        }
    }
    return 0;
}

static double factor_of(const struct osw_value *v)
{
    return v->kind == OSW_VALUE_FLOAT ? v->u.f
           : v->kind == OSW_VALUE_INT ? (double)v->u.i
                                      : -1;
}

/* resized(sizes, to, factors): `to`, or without it each size times its factor,
 * rounded down.
 */
static int f_resized(const struct osw_shape_value *v, size_t n,
                     struct osw_shape_value *out, char why[OSW_SHAPE_WHY])
{
    bool given = v[1].kind == OSW_SHAPE_LIST;
    const double too_large = 9007199254740992.0; /* 2^53 */

    (void)n;
    if (v[given ? 1 : 2].n != v[0].n) {
        snprintf(why, OSW_SHAPE_WHY, "expected %zu new sizes or factors",
                 v[0].n);
        return -1;
    }
    out->n = v[0].n;
    for (size_t d = 0; d < out->n; d++) {
        double size =
            given ? 0 : (double)v[0].items[d] * factor_of(&v[2].argument[d]);

        if (!(size >= 0 && size < too_large)) {
            snprintf(why, OSW_SHAPE_WHY, "no output: size %lld and its factor",
                     (long long)v[0].items[d]);
            return -1;
        }
        out->items[d] = given ? v[1].items[d] : (int64_t)size;
    }
    return 0;
}

/* concatenated(tensors, dim): those of one dimension and no element are left
 * out, as in torch, but where there is nothing else.
 */
static int f_concatenated(const struct osw_shape_value *v, size_t n,
                          struct osw_shape_value *out, char why[OSW_SHAPE_WHY])
{
    bool begun = false;
    int dim = 0;

    (void)n;
    for (size_t i = 0; i < v[0].n; i++) {
        const struct osw_value *item = &v[0].argument[i];
        const struct osw_tensor_desc *t = item->u.tensor;

        if (item->kind != OSW_VALUE_TENSOR) {
            snprintf(why, OSW_SHAPE_WHY, "item %zu is no tensor", i);
            return -1;
        }
        if (t->ndim == 1 && t->shape[0] == 0)
            continue;
        if (begun && (size_t)t->ndim != out->n) {
            snprintf(why, OSW_SHAPE_WHY, "item %zu has %d dimensions, not %zu",
                     i, (int)t->ndim, out->n);
            return -1;
        }
        if (!begun) {
            dim = find_dim(v[1].number, (size_t)t->ndim, why);
            if (dim < 0)
                return -1;
            out->n = (size_t)t->ndim;
            memcpy(out->items, t->shape, out->n * sizeof(out->items[0]));
        } else if (__builtin_add_overflow(out->items[dim], t->shape[dim],
                                          &out->items[dim])) {
            snprintf(why, OSW_SHAPE_WHY, "a sum of more than 2^63 - 1");
            return -1;
        }
        begun = true;
    }
    if (!begun)
        out->n = 1; /* nothing at all */
    return 0;
}

const struct osw_shape_function osw_shape_functions[] = {
    {"max", "n*", OSW_SHAPE_NUMBER, f_max},
    {"min", "n*", OSW_SHAPE_NUMBER, f_min},
    {"len", "c", OSW_SHAPE_NUMBER, f_len},
    {"prod", "l", OSW_SHAPE_NUMBER, f_prod},
    {"broadcast", "l*", OSW_SHAPE_LIST, f_broadcast},
    {"reduced", "ldn", OSW_SHAPE_LIST, f_reduced},
    {"convolved", "lllllnl", OSW_SHAPE_LIST, f_convolved},
    {"pooled", "llllln", OSW_SHAPE_LIST, f_pooled},
    {"padded", "ll", OSW_SHAPE_LIST, f_padded},
    {"tiled", "ll", OSW_SHAPE_LIST, f_tiled},
    {"resized", "lof", OSW_SHAPE_LIST, f_resized},
    {"concatenated", "tn", OSW_SHAPE_LIST, f_concatenated},
    {NULL, NULL, OSW_SHAPE_NOTHING, NULL},
};

enum {
    NOTHING = 1 << OSW_SHAPE_NOTHING,
    NUMBER = 1 << OSW_SHAPE_NUMBER,
    LIST = 1 << OSW_SHAPE_LIST,
    TENSORS = 1 << OSW_SHAPE_TENSORS,
    FLOATS = 1 << OSW_SHAPE_FLOATS,
};

const struct osw_shape_parameter osw_shape_parameters[] = {
    {'n', NUMBER, "an integer"},
    {'l', LIST, "a list"},
    {'o', LIST | NOTHING, "a list or None"},
    {'d', LIST | NUMBER | NOTHING, "a list, an integer or None"},
    {'c', LIST | TENSORS, "a list"},
    {'t', TENSORS, "a list of tensors"},
    {'f', FLOATS | NOTHING, "a list of floats or None"},
    {0, 0, NULL},
};

int osw_shape_divide(int64_t a, int64_t b, bool rest, int64_t *out)
{
    int64_t q, r;

    if (b == -1) { /* the least number has no opposite */
        *out = 0;
        return !rest && __builtin_sub_overflow(0, a, out) ? -1 : 0;
    }
    q = a / b;
    r = a % b;
    if (r != 0 && (r < 0) != (b < 0)) {
        q--;
        r += b;
    }
    *out = rest ? r : q;
    return 0;
}

size_t osw_shape_clip(int64_t at, size_t n)
{
    if (at < 0)
        at += (int64_t)n;
    return at < 0 ? 0 : (uint64_t)at > n ? n : (size_t)at;
}
