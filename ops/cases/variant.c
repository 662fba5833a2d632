/* ops/cases/variant.c - a case with one of its sizes changed */
#include "ops/cases/variant.h"

#include <string.h>

#include "ops/notation/tensor.h"

static bool has_items(const struct osw_value *v)
{
    return v->kind == OSW_VALUE_LIST || v->kind == OSW_VALUE_TUPLE ||
           v->kind == OSW_VALUE_DICT;
}

static int64_t first_size(const struct osw_value *v)
{
    if (v->kind == OSW_VALUE_TENSOR)
        for (int32_t d = 0; d < v->u.tensor->ndim; d++)
            if (v->u.tensor->shape[d] > 1)
                return v->u.tensor->shape[d];
    for (uint32_t i = 0; has_items(v) && i < v->n; i++) {
        int64_t size = first_size(&v->u.items[i]);

        if (size >= 0)
            return size;
    }
    return -1;
}

int64_t osw_variant_size(const struct osw_case *c)
{
    int64_t size = first_size(&c->args);

    return size >= 0 ? size : first_size(&c->kwargs);
}

static const struct osw_tensor_desc *resize(osw_arena_t *arena,
                                            const struct osw_tensor_desc *t,
                                            int64_t from, int64_t to)
{
    struct osw_tensor_desc *n = osw_arena_alloc(arena, sizeof(*n));
    int64_t *dims = osw_arena_array(arena, 2 * (size_t)t->ndim, sizeof(*dims));
    bool touched = false;

    if (!n || !dims)
        return NULL;
    for (int32_t d = 0; d < t->ndim; d++) {
        touched |= t->shape[d] == from;
        dims[d] = t->shape[d] == from ? to : t->shape[d];
    }
    if (!touched)
        return t;
    if (osw_tensor_contiguous(t->ndim, dims, dims + t->ndim) < 0)
        return NULL;
    *n = (struct osw_tensor_desc){.dtype = t->dtype,
                                  .ndim = t->ndim,
                                  .shape = dims,
                                  .strides = dims + t->ndim};
    return n;
}

static int change(osw_arena_t *arena, const struct osw_value *v, bool listed,
                  int64_t from, int64_t to, struct osw_value *out)
{
    struct osw_value *items;

    *out = *v;
    if (v->kind == OSW_VALUE_INT && listed && v->u.i == from)
        out->u.i = to;
    if (v->kind == OSW_VALUE_TENSOR) {
        out->u.tensor = resize(arena, v->u.tensor, from, to);
        return out->u.tensor ? 0 : -1;
    }
    if (!has_items(v))
        return 0;
    items = osw_arena_array(arena, v->n, sizeof(*items));
    if (!items)
        return -1;
    for (uint32_t i = 0; i < v->n; i++)
        if (change(arena, &v->u.items[i], v->kind == OSW_VALUE_LIST, from, to,
                   &items[i]) < 0)
            return -1;
    out->u.items = items;
    return 0;
}

int osw_variant_make(osw_arena_t *arena, const struct osw_case *c, int64_t from,
                     int64_t to, struct osw_case *out, struct osw_error *err)
{
    struct osw_case made;

    if (change(arena, &c->args, false, from, to, &made.args) < 0 ||
        change(arena, &c->kwargs, false, from, to, &made.kwargs) < 0)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a variant");
    *out = made;
    return 0;
}
