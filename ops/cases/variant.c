/* ops/cases/variant.c - a case changed where implementations tend to forget
 * something: one of its sizes, or where its tensors begin */
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

/* Sizes `from` become `to`; offset below 0: each tensor keeps its own. */
struct change {
    osw_arena_t *arena;
    int64_t from, to, offset;
    uint32_t to_come; /* tensors that keep their offset */
};

static const struct osw_tensor_desc *shift(struct change *c,
                                           const struct osw_tensor_desc *t)
{
    struct osw_tensor_desc *n;

    if (c->to_come > 0) {
        c->to_come--;
        return t;
    }
    if (t->offset)
        return t;
    n = osw_arena_alloc(c->arena, sizeof(*n));
    if (!n)
        return NULL;
    *n = *t;
    n->offset = c->offset;
    return n;
}

static uint32_t n_tensors(const struct osw_value *v)
{
    uint32_t n = v->kind == OSW_VALUE_TENSOR;

    for (uint32_t i = 0; has_items(v) && i < v->n; i++)
        n += n_tensors(&v->u.items[i]);
    return n;
}

static uint32_t case_tensors(const struct osw_case *c)
{
    return n_tensors(&c->args) + n_tensors(&c->kwargs);
}

static const struct osw_tensor_desc *resize(const struct change *c,
                                            const struct osw_tensor_desc *t)
{
    osw_arena_t *arena = c->arena;
    int64_t from = c->from, to = c->to;
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
                                  .strides = dims + t->ndim,
                                  .offset = t->offset};
    return n;
}

static int change(struct change *c, const struct osw_value *v, bool listed,
                  struct osw_value *out)
{
    struct osw_value *items;

    *out = *v;
    if (v->kind == OSW_VALUE_INT && listed && v->u.i == c->from)
        out->u.i = c->to;
    if (v->kind == OSW_VALUE_TENSOR) {
        out->u.tensor =
            c->offset >= 0 ? shift(c, v->u.tensor) : resize(c, v->u.tensor);
        return out->u.tensor ? 0 : -1;
    }
    if (!has_items(v))
        return 0;
    items = osw_arena_array(c->arena, v->n, sizeof(*items));
    if (!items)
        return -1;
    for (uint32_t i = 0; i < v->n; i++)
        if (change(c, &v->u.items[i], v->kind == OSW_VALUE_LIST, &items[i]) < 0)
            return -1;
    out->u.items = items;
    return 0;
}

static int change_case(struct change *by, const struct osw_case *c,
                       struct osw_case *out, struct osw_error *err)
{
    struct osw_case made = *c;

    if (change(by, &c->args, false, &made.args) < 0 ||
        change(by, &c->kwargs, false, &made.kwargs) < 0)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a variant");
    *out = made;
    return 0;
}

int osw_variant_resize(osw_arena_t *arena, const struct osw_case *c,
                       int64_t from, int64_t to, struct osw_case *out,
                       struct osw_error *err)
{
    struct change by = {.arena = arena, .from = from, .to = to, .offset = -1};

    return change_case(&by, c, out, err);
}

int osw_variant_shift(osw_arena_t *arena, const struct osw_case *c,
                      uint32_t first, int64_t offset, struct osw_case *out,
                      struct osw_error *err)
{
    struct change by = {.arena = arena,
                        .from = -1,
                        .to = -1,
                        .offset = offset,
                        .to_come = first};

    return change_case(&by, c, out, err);
}

enum { ALL, LAST };

static const struct {
    const char *name;
    int64_t size; /* below 0: those of the case */
    int tensors;  /* then: which begin an element later */
} variants[] = {
    {"empty", 0, ALL},    {"single", 1, ALL},           {"odd (31)", 31, ALL},
    {"shifted", -1, ALL}, {"partly shifted", -1, LAST},
};

const char *osw_variant_name(size_t k)
{
    return k < sizeof(variants) / sizeof(variants[0]) ? variants[k].name : NULL;
}

bool osw_variant_keeps_sizes(size_t k)
{
    return variants[k].size < 0;
}

int osw_variant_make(osw_arena_t *arena, const struct osw_case *c, size_t k,
                     struct osw_case *out, struct osw_error *err)
{
    int64_t from = osw_variant_size(c);
    uint32_t n = case_tensors(c), first = variants[k].tensors == LAST ? n : 1;

    if (osw_variant_keeps_sizes(k)) {
        if (n == 0 || (variants[k].tensors == LAST && n == 1))
            return 0;
        return osw_variant_shift(arena, c, first - 1, 1, out, err) < 0 ? -1 : 1;
    }
    if (from < 0 || from == variants[k].size)
        return 0;
    return osw_variant_resize(arena, c, from, variants[k].size, out, err) < 0
               ? -1
               : 1;
}
