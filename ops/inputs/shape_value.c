/* ops/inputs/shape_value.c - what parts of a shape's expression come to */
#include "ops/inputs/shape_value.h"

#include <stdint.h>
#include <stdio.h>

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

/* reduced(list, dims, keep): without these dimensions, or with size 1 there;
 * no dims are all of them, as in torch.
 */
static int f_reduced(const struct osw_shape_value *v, size_t n,
                     struct osw_shape_value *out, char why[OSW_SHAPE_WHY])
{
    bool gone[OSW_SHAPE_MAX_ITEMS] = {false};
    bool all = v[1].kind == OSW_SHAPE_NOTHING || v[1].n == 0;

    (void)n;
    for (size_t i = 0; i < v[1].n; i++) {
        int64_t size = (int64_t)v[0].n, dim = v[1].items[i];

        if (size == 0 && (dim == 0 || dim == -1))
            continue; /* a tensor without dimensions: as in torch */
        if (dim < -size || dim >= size) {
            snprintf(why, OSW_SHAPE_WHY, "dimension %lld of %lld",
                     (long long)dim, (long long)size);
            return -1;
        }
        gone[dim < 0 ? dim + size : dim] = true;
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

/* convolved(sizes, kernel, stride, padding, dilation, transposed, more): the
 * sizes of a convolution's output, or of a transposed one's; lists of one item
 * count for each dimension, as in torch.
 */
static int f_convolved(const struct osw_shape_value *v, size_t n,
                       struct osw_shape_value *out, char why[OSW_SHAPE_WHY])
{
    static const size_t lists[] = {0, 1, 2, 3, 4, 6};

    (void)n;
    for (size_t k = 1; k < 6; k++)
        if (v[lists[k]].n != 1 && v[lists[k]].n != v[0].n) {
            snprintf(why, OSW_SHAPE_WHY,
                     "parameter %zu: expected 1 or %zu items, found %zu",
                     lists[k] + 1, v[0].n, v[lists[k]].n);
            return -1;
        }
    out->n = v[0].n;
    for (size_t d = 0; d < out->n; d++) {
        int64_t a[6];

        for (size_t k = 0; k < 6; k++)
            a[k] = v[lists[k]].items[v[lists[k]].n == 1 ? 0 : d];
        if (convolved_size(a, v[5].number != 0, &out->items[d]) < 0) {
            snprintf(why, OSW_SHAPE_WHY,
                     "no output: size %lld, kernel %lld, stride %lld",
                     (long long)a[0], (long long)a[1], (long long)a[2]);
            return -1;
        }
    }
    return 0;
}

const struct osw_shape_function osw_shape_functions[] = {
    {"max", "n*", OSW_SHAPE_NUMBER, f_max},
    {"min", "n*", OSW_SHAPE_NUMBER, f_min},
    {"len", "l", OSW_SHAPE_NUMBER, f_len},
    {"prod", "l", OSW_SHAPE_NUMBER, f_prod},
    {"broadcast", "l*", OSW_SHAPE_LIST, f_broadcast},
    {"reduced", "lon", OSW_SHAPE_LIST, f_reduced},
    {"convolved", "lllllnl", OSW_SHAPE_LIST, f_convolved},
    {NULL, NULL, OSW_SHAPE_NOTHING, NULL},
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
