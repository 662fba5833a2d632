/* worker/protocol_args.c - arguments of a case: written from values, read as an
 * op sees them
 */
#include "worker/protocol_args.h"

#include <string.h>

#include "ops/notation/tensor.h"

static void put_value(struct osw_writer *w, const struct osw_value *v,
                      const uint64_t **offsets);

static void put_tensor(struct osw_writer *w, const struct osw_tensor_desc *t,
                       uint64_t offset)
{
    osw_write_u8(w, (uint8_t)t->dtype);
    osw_write_u8(w, (uint8_t)t->ndim);
    osw_dims_put(w, t->ndim, t->shape, t->strides);
    osw_write_u64(w, offset);
    osw_write_u64(w, osw_tensor_bytes_before(t));
}

static void put_items(struct osw_writer *w, const struct osw_value *v,
                      const uint64_t **offsets)
{
    bool dict = v->kind == OSW_VALUE_DICT;

    osw_write_u8(w, OSW_ARG_LIST);
    osw_write_u8(w, dict                         ? OSW_ITEMS_DICT
                    : v->kind == OSW_VALUE_TUPLE ? OSW_ITEMS_TUPLE
                                                 : OSW_ITEMS_LIST);
    osw_write_u32(w, v->n);
    for (uint32_t i = 0; i < v->n; i++) {
        if (dict)
            osw_write_str(w, v->keys[i]);
        put_value(w, &v->u.items[i], offsets);
    }
}

static void put_value(struct osw_writer *w, const struct osw_value *v,
                      const uint64_t **offsets)
{
    switch (v->kind) {
    case OSW_VALUE_NONE:
        osw_write_u8(w, OSW_ARG_NONE);
        return;
    case OSW_VALUE_BOOL:
        osw_write_u8(w, OSW_ARG_BOOL);
        osw_write_i64(w, v->u.b);
        return;
    case OSW_VALUE_INT:
        osw_write_u8(w, OSW_ARG_INT);
        osw_write_i64(w, v->u.i);
        return;
    case OSW_VALUE_FLOAT:
        osw_write_u8(w, OSW_ARG_FLOAT);
        osw_write_f64(w, v->u.f);
        return;
    case OSW_VALUE_DTYPE:
        osw_write_u8(w, OSW_ARG_DTYPE);
        osw_write_u8(w, (uint8_t)v->u.dtype);
        return;
    case OSW_VALUE_TENSOR:
        osw_write_u8(w, OSW_ARG_TENSOR);
        put_tensor(w, v->u.tensor, *(*offsets)++);
        return;
    case OSW_VALUE_LIST:
    case OSW_VALUE_TUPLE:
    case OSW_VALUE_DICT:
        put_items(w, v, offsets);
        return;
    case OSW_VALUE_STRING:
    case OSW_VALUE_WORD:
        osw_write_u8(w, OSW_ARG_STRING);
        osw_write_str(w, v->u.s);
        return;
    }
}

void osw_args_put(struct osw_writer *w, const struct osw_bound_arg *args,
                  uint32_t n, const uint64_t *offsets)
{
    for (uint32_t i = 0; i < n; i++) {
        osw_write_str(w, args[i].name);
        osw_write_u8(w, (uint8_t)args[i].given);
        put_value(w, args[i].value, &offsets);
    }
}

static int bad_args(struct osw_args_reader *a, const char *what)
{
    return osw_fail(a->err, OSW_PROTOCOL, "arguments: %s", what);
}

static int get_tensor(struct osw_args_reader *a, osw_arg *out)
{
    struct osw_output o = {
        .alias = -1, .exact = OSW_NO_OFFSET, .norm = OSW_NO_OFFSET};
    osw_tensor *t = osw_arena_alloc(a->arena, sizeof(*t));
    uint64_t before;
    int64_t *dims = osw_arena_array(a->arena, 2 * OSW_MAX_NDIM, sizeof(*dims));

    if (!t || !dims)
        return osw_fail(a->err, OSW_NO_MEMORY, "no memory for a tensor");
    o.dtype = (enum osw_dtype_id)osw_read_u8(a->r);
    o.ndim = osw_read_u8(a->r);
    if (a->r->overrun || !osw_dtype_info((int)o.dtype) || o.ndim > OSW_MAX_NDIM)
        return bad_args(a, "tensor of unknown dtype or rank");
    osw_dims_get(a->r, &o);
    memcpy(dims, o.shape, sizeof(o.shape));
    memcpy(dims + OSW_MAX_NDIM, o.strides, sizeof(o.strides));
    o.offset = osw_read_u64(a->r);
    before = osw_read_u64(a->r);
    if (a->r->overrun || before > o.offset ||
        !osw_is_within(o.offset, osw_output_extent(&o), a->size))
        return bad_args(a, "tensor outside the arena");
    t->data = a->base ? a->base + o.offset - before : NULL;
    t->byte_offset = a->base ? before : 0;
    t->device = a->device;
    t->ndim = o.ndim;
    t->dtype = osw_dtype_info((int)o.dtype)->dl;
    t->shape = dims;
    t->strides = dims + OSW_MAX_NDIM;
    out->u.tensor = t;
    return 0;
}

/* In the arena; NULL with err. */
static const char *get_text(struct osw_args_reader *a)
{
    const char *name = osw_arena_strdup(a->arena, osw_read_str(a->r));

    if (!name)
        osw_fail(a->err, OSW_NO_MEMORY, "no memory for a string");
    return name;
}

static int get_value(struct osw_args_reader *a, osw_arg *out, int depth);

static int get_items(struct osw_args_reader *a, osw_arg *out, int depth)
{
    uint8_t kind = osw_read_u8(a->r);
    osw_arg *items;

    out->n = osw_read_u32(a->r);
    if (out->n > a->left || depth > 32)
        return bad_args(a, "list too long or too deep");
    if (kind > OSW_ITEMS_DICT)
        return bad_args(a, "list of no kind there is");
    items = osw_arena_array(a->arena, (size_t)out->n + 1, sizeof(*items));
    if (!items)
        return osw_fail(a->err, OSW_NO_MEMORY, "no memory for a list");
    for (uint32_t i = 0; i < out->n; i++) {
        const char *key = kind == OSW_ITEMS_DICT ? get_text(a) : "";

        if (!key || get_value(a, &items[i], depth + 1) < 0)
            return -1;
        items[i].name = key;
    }
    items[out->n] = (osw_arg){.tag = OSW_ARG_INT, .name = "", .u.i = kind};
    out->u.items = items;
    return 0;
}

static int get_value(struct osw_args_reader *a, osw_arg *out, int depth)
{
    const struct osw_dtype_info *t;

    if (a->left-- == 0)
        return bad_args(a, "too many");
    out->tag = osw_read_u8(a->r);
    out->name = "";
    switch (out->tag) {
    case OSW_ARG_NONE:
        return 0;
    case OSW_ARG_BOOL:
    case OSW_ARG_INT:
        out->u.i = osw_read_i64(a->r);
        return 0;
    case OSW_ARG_FLOAT:
        out->u.f = osw_read_f64(a->r);
        return 0;
    case OSW_ARG_DTYPE:
        t = osw_dtype_info(osw_read_u8(a->r));
        if (!t)
            return bad_args(a, "unknown dtype");
        out->u.dtype = t->dl;
        return 0;
    case OSW_ARG_STRING:
        out->u.s = get_text(a);
        out->n = out->u.s ? (uint32_t)strlen(out->u.s) : 0;
        return out->u.s ? 0 : -1;
    case OSW_ARG_TENSOR:
        return get_tensor(a, out);
    case OSW_ARG_LIST:
        return get_items(a, out, depth);
    default:
        return bad_args(a, "unknown kind");
    }
}

int osw_args_get(struct osw_args_reader *a, uint32_t n, osw_arg *args,
                 uint8_t *given)
{
    for (uint32_t i = 0; i < n; i++) {
        const char *name = get_text(a);

        if (!name)
            return -1;
        given[i] = osw_read_u8(a->r);
        if (given[i] > OSW_GIVEN_DEFAULT)
            return bad_args(a, "given in no way there is");
        if (get_value(a, &args[i], 0) < 0)
            return -1;
        args[i].name = name;
    }
    return a->r->overrun ? bad_args(a, "cut short") : 0;
}
