/* tests/unit/worker/judge_tensor.h - small tensors in memory, for tests */
#ifndef OSW_TESTS_UNIT_WORKER_JUDGE_TENSOR_H
#define OSW_TESTS_UNIT_WORKER_JUDGE_TENSOR_H

#include <stdlib.h>
#include <string.h>

#include <opsweep/elements.h>

#include "worker/judge/memory/view.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

struct tensor {
    int64_t shape[OSW_MAX_NDIM], strides[OSW_MAX_NDIM];
    struct osw_tensor_desc desc;
    struct osw_view view;
    size_t bytes; /* of its storage */
};

/* Strides NULL: contiguous.  Storage of zeros, freed by tensor_free. */
static inline void tensor_make(struct tensor *t, enum osw_dtype_id dtype,
                               int32_t ndim, const int64_t *shape,
                               const int64_t *strides)
{
    memset(t, 0, sizeof(*t));
    for (int32_t d = 0; d < ndim; d++)
        t->shape[d] = shape[d];
    if (strides)
        memcpy(t->strides, strides, (size_t)ndim * sizeof(*strides));
    else if (osw_tensor_contiguous(ndim, t->shape, t->strides) < 0)
        abort();
    t->desc = (struct osw_tensor_desc){.dtype = dtype,
                                       .ndim = ndim,
                                       .strided = strides != NULL,
                                       .shape = t->shape,
                                       .strides = t->strides};
    t->bytes = (size_t)osw_tensor_bytes(&t->desc);
    t->view.desc = &t->desc;
    t->view.data = calloc(t->bytes + 1, 1);
    if (!t->view.data)
        abort();
}

static inline void tensor_vector(struct tensor *t, enum osw_dtype_id dtype,
                                 int64_t n)
{
    tensor_make(t, dtype, 1, &n, NULL);
}

static inline void tensor_free(struct tensor *t)
{
    free(t->view.data);
    t->view.data = NULL;
}

static inline void *tensor_at(const struct tensor *t, int64_t index)
{
    return (char *)t->view.data + osw_view_offset(&t->desc, index) *
                                      (int64_t)osw_view_elem_bytes(&t->view);
}

static inline void tensor_set(const struct tensor *t, int64_t index, double v)
{
    osw_store(osw_dtype_info((int)t->desc.dtype)->dl, tensor_at(t, index), v);
}

static inline double tensor_get(const struct tensor *t, int64_t index)
{
    return osw_load(osw_dtype_info((int)t->desc.dtype)->dl,
                    tensor_at(t, index));
}

#endif /* OSW_TESTS_UNIT_WORKER_JUDGE_TENSOR_H */
