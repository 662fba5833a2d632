/* shared/index_add.h - index_add and index_add_: (self, dim, index,
 * source, alpha), out = self with alpha * source slice i added to slice
 * index[i]
 */
#ifndef OSW_LIBRARY_INDEX_ADD_H
#define OSW_LIBRARY_INDEX_ADD_H

#include "picking.h"

struct osw_index_add {
    struct osw_slices self, source, out;
    const osw_tensor *index;
    struct osw_factor alpha;
};

static inline int osw_index_add_check(const osw_call *call,
                                      const struct osw_index_add *a)
{
    const osw_tensor *self = a->self.tensor, *source = a->source.tensor;

    if (self->ndim != source->ndim || a->source.n != osw_numel(a->index))
        return osw_error(call, "source does not fit the index");
    for (int32_t d = 0; d < self->ndim; d++)
        if (d != a->self.dim && self->shape[d] != source->shape[d])
            return osw_error(call, "source does not fit self");
    if (!osw_convert_same(self->dtype, source->dtype))
        return osw_error(call, "expected one dtype");
    return 0;
}

static inline int osw_index_add_open(const osw_call *call,
                                     struct osw_index_add *a, int in_place)
{
    const osw_tensor *self = osw_arg_tensor(call, 0);
    const osw_tensor *source = osw_arg_tensor(call, 3);
    osw_tensor *out;
    int32_t dim;

    a->index = osw_arg_tensor(call, 2);
    a->alpha = osw_factor_arg(call, 4);
    if (!self || !source || !a->index || a->index->ndim > 1 ||
        !osw_picking_is_index(a->index))
        return osw_error(call, "expected tensors and a vector of indices");
    if (self->dtype.code == OSW_COMPLEX || self->dtype.code == OSW_BOOL)
        return OSW_UNSUPPORTED;
    dim = osw_rows_dim(osw_arg_int(call, 1, 0), self->ndim);
    if (dim < 0)
        return osw_error(call, "no such dimension");
    a->self = osw_slices_of(self, dim);
    a->source = osw_slices_of(source, source->ndim > dim ? dim : 0);
    if (osw_index_add_check(call, a))
        return OSW_ERROR;
    out = in_place
              ? osw_output_alias(call, 0, 0)
              : osw_output(call, 0, self->dtype, self->ndim, self->shape, NULL);
    if (!out)
        return OSW_ERROR;
    a->out = osw_slices_of(out, dim);
    return 0;
}

/* Integers wrap around. */
static inline void osw_index_add_int(osw_dtype t, void *p, int64_t v)
{
    int64_t sum = osw_load_int(t, p);

    sum = (int64_t)((uint64_t)sum + (uint64_t)v);
    memcpy(p, &sum, t.bits / 8); /* the low bytes come first */
}

/* Element by element: floats in double, integers in place. */
static inline int osw_index_add_reference(const osw_call *call,
                                          const struct osw_index_add *a)
{
    const osw_tensor *self = a->self.tensor, *out = a->out.tensor;
    osw_dtype t = self->dtype;
    double *exact = osw_rows_is_float(self) ? osw_output_exact(call, 0) : NULL;

    if (osw_rows_is_float(self) && !exact)
        return OSW_ERROR;
    if (!osw_picking_in_range(a->index, a->self.n))
        return osw_error(call, "index is out of range");
    for (int64_t i = 0; i < osw_numel(self); i++) {
        if (exact)
            exact[i] = osw_get(self, i);
        else
            memmove(osw_at(out, osw_offset(out, i)),
                    osw_at(self, osw_offset(self, i)), t.bits / 8);
    }
    for (int64_t o = 0; o < a->source.n_outer; o++)
        for (int64_t i = 0; i < a->source.n; i++) {
            int64_t k = osw_get_int(a->index, i);

            for (int64_t j = 0; j < a->source.inner; j++) {
                const void *p = osw_slices_at(&a->source, o, i, j);

                if (exact)
                    exact[(o * a->self.n + k) * a->self.inner + j] +=
                        a->alpha.of_floats * osw_load(t, p);
                else
                    osw_index_add_int(t, osw_slices_at(&a->out, o, k, j),
                                      (int64_t)((uint64_t)a->alpha.of_integers *
                                                (uint64_t)osw_load_int(t, p)));
            }
        }
    return 0;
}

/* --- the implementation: every slice of out is written once --- */

enum { OSW_INDEX_ADD_RUN = 256 };

static inline void osw_index_add_slice(const struct osw_index_add *a,
                                       const struct osw_buckets *b,
                                       int64_t outer, int64_t k)
{
    osw_dtype t = a->self.tensor->dtype;

    for (int64_t j = 0; j < a->self.inner; j += OSW_INDEX_ADD_RUN) {
        int64_t n = a->self.inner - j;
        float run[OSW_INDEX_ADD_RUN];
        double sum[OSW_INDEX_ADD_RUN];

        n = n < OSW_INDEX_ADD_RUN ? n : OSW_INDEX_ADD_RUN;
        for (int64_t m = 0; m < n; m++)
            sum[m] = 0.0;
        for (int64_t i = b->start[k]; i < b->start[k + 1]; i++) {
            osw_convert_read(
                t, osw_slices_at(&a->source, outer, b->order[i], j), 1, n, run);
            for (int64_t m = 0; m < n; m++)
                sum[m] += run[m];
        }
        osw_convert_read(t, osw_slices_at(&a->self, outer, k, j), 1, n, run);
        for (int64_t m = 0; m < n; m++)
            run[m] = (float)(run[m] + a->alpha.of_floats * sum[m]);
        osw_convert_write(t, run, n, 1, osw_slices_at(&a->out, outer, k, j));
    }
}

/* The same where slices are single elements. */
static inline void osw_index_add_element(const struct osw_index_add *a,
                                         const struct osw_buckets *b,
                                         int64_t outer, int64_t k)
{
    osw_dtype t = a->self.tensor->dtype;
    int64_t source = osw_slices_offset(&a->source, outer, 0);
    int64_t stride = a->source.stride;
    double sum = 0.0;
    float v;

    for (int64_t i = b->start[k]; i < b->start[k + 1]; i++)
        sum += osw_convert_one(
            t, (char *)osw_at(a->source.tensor, source + b->order[i] * stride));
    v = osw_convert_one(t, (char *)osw_slices_at(&a->self, outer, k, 0));
    v = (float)(v + a->alpha.of_floats * sum);
    osw_convert_write(t, &v, 1, 1, osw_slices_at(&a->out, outer, k, 0));
}

static inline int osw_index_add_buckets(const osw_call *call,
                                        const struct osw_index_add *a)
{
    struct osw_buckets b = {0};
    int64_t n = a->self.n * a->self.n_outer;
    int rc;

    if (!osw_convert_knows(a->self.tensor->dtype) || !a->self.dense ||
        !a->source.dense || !a->out.dense)
        return OSW_UNSUPPORTED;
    rc = osw_buckets_fill(call, &b, a->index, a->self.n, -1);
    if (rc)
        return rc;
#pragma omp parallel for num_threads((int)call->n_threads)                     \
    schedule(dynamic, 64) if (n * a->self.inner > 65536)
    for (int64_t i = 0; i < n; i++) {
        if (a->self.inner == 1)
            osw_index_add_element(a, &b, i / a->self.n, i % a->self.n);
        else
            osw_index_add_slice(a, &b, i / a->self.n, i % a->self.n);
    }
    return 0;
}

#endif /* OSW_LIBRARY_INDEX_ADD_H */
