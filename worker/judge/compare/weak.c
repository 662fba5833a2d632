/* worker/judge/compare/weak.c - would a trivial output pass too? */
#include "worker/judge/compare/weak.h"

#include <math.h>
#include <string.h>

#include <opsweep/elements.h>

#include "worker/judge/memory/heartbeat.h"

enum { BLOCK = 256, MAX_ELEM_BYTES = 16 };

/* Passes, and is not the expected result itself, rounded. */
static bool is_weak(const struct osw_place *place,
                    const struct osw_view *candidate,
                    const struct osw_expected *want,
                    const struct osw_accept *accept)
{
    const struct osw_dtype_info *dtype =
        osw_dtype_info((int)candidate->desc->dtype);
    bool nearest = !osw_dtype_is_floating(dtype) && !accept->exact;
    struct osw_accept itself = {.exact = !nearest, .atol = nearest ? 0.5 : 0};

    return place->ops->passes(place->device, candidate, want, accept) &&
           !place->ops->passes(place->device, candidate, want, &itself);
}

/* A tensor like another in which every index is the same element. */
struct uniform {
    int64_t strides[OSW_MAX_NDIM];
    struct osw_tensor_desc desc;
    unsigned char element[MAX_ELEM_BYTES]; /* the host's copy */
    struct osw_view view;
};

static void make_uniform(struct uniform *u, const struct osw_place *place,
                         const struct osw_tensor_desc *like)
{
    memset(u, 0, sizeof(*u));
    u->desc = *like;
    u->desc.strided = true;
    u->desc.strides = u->strides;
    u->view.data = place->private.base;
    u->view.desc = &u->desc;
}

static bool is_uniform_weak(struct uniform *u, const struct osw_place *place,
                            const struct osw_expected *want,
                            const struct osw_accept *accept)
{
    place->ops->copy(place->device, u->view.data, u->element,
                     sizeof(u->element));
    return is_weak(place, &u->view, want, accept);
}

double osw_weak_mean(const struct osw_expected *want, int64_t numel)
{
    double block[BLOCK], sum = 0;
    int64_t n_finite = 0, done = 0;
    struct osw_walk walk;
    struct osw_run run;

    if (!want->exact)
        osw_walk_rows(&walk, want->view.desc);
    while (done < numel) {
        const double *values = block;
        int64_t n = numel - done < BLOCK ? numel - done : BLOCK;

        if (want->exact) {
            values = want->exact + done;
        } else if (osw_walk_next(&walk, n, &run)) {
            n = run.n;
            osw_view_load(want->view.desc->dtype,
                          (const char *)want->view.data +
                              run.offset *
                                  (int64_t)osw_view_elem_bytes(&want->view),
                          run.stride, n, block);
        }
        for (int64_t i = 0; i < n; i++)
            if (isfinite(values[i])) {
                sum += values[i];
                n_finite++;
            }
        done += n;
        osw_heartbeat(n);
    }
    return n_finite ? sum / (double)n_finite : 0;
}

static bool is_alike(const struct osw_tensor_desc *a,
                     const struct osw_tensor_desc *b)
{
    if (a->dtype != b->dtype || a->ndim != b->ndim)
        return false;
    for (int32_t d = 0; d < a->ndim; d++)
        if (a->shape[d] != b->shape[d])
            return false;
    return true;
}

const char *osw_weak_find(const struct osw_place *place,
                          const struct osw_tensor_desc *like,
                          const struct osw_expected *want,
                          const struct osw_accept *accept,
                          const struct osw_view *inputs, size_t n_inputs)
{
    const struct osw_dtype_info *dtype = osw_dtype_info((int)like->dtype);
    int64_t numel = osw_tensor_numel(like->ndim, like->shape);
    struct uniform same;
    double mean;

    if (numel == 0)
        return NULL;
    make_uniform(&same, place, like);
    if (is_uniform_weak(&same, place, want, accept))
        return "zeros";
    mean = place->ops->mean(place->device, want, numel);
    if (dtype->class == OSW_CLASS_INT || dtype->class == OSW_CLASS_BOOL)
        mean = nearbyint(mean);
    osw_store(dtype->dl, same.element, mean);
    if (is_uniform_weak(&same, place, want, accept))
        return "the mean everywhere";
    for (size_t i = 0; i < n_inputs; i++)
        if (is_alike(inputs[i].desc, like) &&
            is_weak(place, &inputs[i], want, accept))
            return "a copy of an input";
    return NULL;
}
