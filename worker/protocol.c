/* worker/protocol.c - what judge and sandbox say to each other */
#include "worker/protocol.h"

#include <math.h>
#include <string.h>

/* --- outputs --- */

static void put_output(struct osw_writer *w, const struct osw_output *o)
{
    osw_write_u8(w, (uint8_t)o->dtype);
    osw_write_u8(w, (uint8_t)o->ndim);
    osw_write_i32(w, o->alias);
    osw_write_u32(w, o->shares);
    for (int32_t d = 0; d < o->ndim; d++) {
        osw_write_i64(w, o->shape[d]);
        osw_write_i64(w, o->strides[d]);
    }
    osw_write_u64(w, o->offset);
    osw_write_u64(w, o->exact);
    osw_write_u64(w, o->norm);
}

int64_t osw_output_numel(const struct osw_output *o)
{
    int64_t n = 1;

    for (int32_t d = 0; d < o->ndim; d++)
        if (o->shape[d] < 0 || __builtin_mul_overflow(n, o->shape[d], &n))
            return -1;
    return n;
}

int64_t osw_output_extent(const struct osw_output *o)
{
    const struct osw_dtype_info *t = osw_dtype_info((int)o->dtype);
    int64_t last = 0, step, bytes;

    if (!t || osw_output_numel(o) < 0)
        return -1;
    if (osw_output_numel(o) == 0)
        return 0;
    for (int32_t d = 0; d < o->ndim; d++)
        if (o->strides[d] < 0 ||
            __builtin_mul_overflow(o->shape[d] - 1, o->strides[d], &step) ||
            __builtin_add_overflow(last, step, &last))
            return -1;
    if (__builtin_add_overflow(last, 1, &last) ||
        __builtin_mul_overflow(last, (int64_t)t->bytes, &bytes))
        return -1;
    return bytes;
}

static bool within(uint64_t offset, int64_t bytes, uint64_t size)
{
    return bytes >= 0 && offset <= size && (uint64_t)bytes <= size - offset;
}

static bool side_within(uint64_t offset, int64_t numel, uint64_t size)
{
    return offset == OSW_NO_OFFSET ||
           (offset % sizeof(double) == 0 &&
            numel <= INT64_MAX / (int64_t)sizeof(double) &&
            within(offset, numel * (int64_t)sizeof(double), size));
}

static int get_output(struct osw_reader *r, uint64_t size, struct osw_output *o,
                      struct osw_error *err)
{
    const struct osw_dtype_info *t;

    memset(o, 0, sizeof(*o));
    o->dtype = (enum osw_dtype_id)osw_read_u8(r);
    o->ndim = osw_read_u8(r);
    o->alias = osw_read_i32(r);
    o->shares = osw_read_u32(r);
    t = osw_dtype_info((int)o->dtype);
    if (r->overrun || !t || o->ndim > OSW_MAX_NDIM)
        return osw_fail(err, OSW_PROTOCOL,
                        "output of dtype %d with %d dimensions, at most %d",
                        (int)o->dtype, (int)o->ndim, (int)OSW_MAX_NDIM);
    for (int32_t d = 0; d < o->ndim; d++) {
        o->shape[d] = osw_read_i64(r);
        o->strides[d] = osw_read_i64(r);
    }
    o->offset = osw_read_u64(r);
    o->exact = osw_read_u64(r);
    o->norm = osw_read_u64(r);
    if (r->overrun || !within(o->offset, osw_output_extent(o), size) ||
        o->offset % t->bytes != 0 ||
        !side_within(o->exact, osw_output_numel(o), size) ||
        !side_within(o->norm, osw_output_numel(o), size))
        return osw_fail(err, OSW_PROTOCOL,
                        "output at %llu does not lie in its zone of %llu B",
                        (unsigned long long)o->offset,
                        (unsigned long long)size);
    return 0;
}

/* --- load --- */

void osw_protocol_put_load(struct osw_writer *w, const struct osw_load *m)
{
    osw_write_u8(w, OSW_TALK_LOAD);
    osw_write_u16(w, OSW_PROTOCOL_VERSION);
    osw_write_u64(w, m->window_bytes);
    osw_write_u32(w, m->n_threads);
    osw_write_u8(w, m->reference);
    osw_write_u8(w, m->generator);
    osw_write_str(w, m->device);
    osw_write_str(w, m->path);
    osw_write_str(w, m->symbol);
}

int osw_protocol_get_load(struct osw_reader *r, struct osw_load *m,
                          struct osw_error *err)
{
    uint16_t version = osw_read_u16(r);

    if (version != OSW_PROTOCOL_VERSION)
        return osw_fail(err, OSW_PROTOCOL,
                        "judge speaks version %d, sandbox %d", version,
                        OSW_PROTOCOL_VERSION);
    m->window_bytes = osw_read_u64(r);
    m->n_threads = osw_read_u32(r);
    m->reference = osw_read_u8(r) != 0;
    m->generator = osw_read_u8(r) != 0;
    m->device = osw_read_str(r);
    m->path = osw_read_str(r);
    m->symbol = osw_read_str(r);
    if (!osw_reader_done(r))
        return osw_fail(err, OSW_PROTOCOL, "malformed load message");
    return 0;
}

void osw_protocol_put_arena(struct osw_writer *w,
                            const struct osw_arena_offer *m)
{
    void *p;

    osw_write_u8(w, OSW_TALK_ARENA);
    osw_write_u64(w, m->bytes);
    p = osw_write_raw(w, sizeof(m->handle));
    if (p)
        memcpy(p, m->handle, sizeof(m->handle));
}

int osw_protocol_get_arena(struct osw_reader *r, struct osw_arena_offer *m,
                           struct osw_error *err)
{
    const void *p;

    m->bytes = osw_read_u64(r);
    p = osw_read_raw(r, sizeof(m->handle));
    if (!osw_reader_done(r))
        return osw_fail(err, OSW_PROTOCOL, "malformed arena message");
    memcpy(m->handle, p, sizeof(m->handle));
    return 0;
}

void osw_protocol_put_loaded(struct osw_writer *w, const struct osw_loaded *m)
{
    osw_write_u8(w, OSW_TALK_LOADED);
    osw_write_u8(w, m->ok);
    osw_write_u8(w, m->has_prepare);
    osw_write_u8(w, m->has_finish);
    osw_write_u8(w, m->has_meta);
    osw_write_u8(w, m->has_work);
    osw_write_u8(w, m->own_outputs);
    osw_write_str(w, m->text);
}

int osw_protocol_get_loaded(struct osw_reader *r, struct osw_loaded *m,
                            struct osw_error *err)
{
    m->ok = osw_read_u8(r) != 0;
    m->has_prepare = osw_read_u8(r) != 0;
    m->has_finish = osw_read_u8(r) != 0;
    m->has_meta = osw_read_u8(r) != 0;
    m->has_work = osw_read_u8(r) != 0;
    m->own_outputs = osw_read_u8(r) != 0;
    m->text = osw_read_str(r);
    if (!osw_reader_done(r))
        return osw_fail(err, OSW_PROTOCOL, "malformed loaded message");
    return 0;
}

void osw_protocol_put_expanded(struct osw_writer *w,
                               const struct osw_expanded *m)
{
    osw_write_u8(w, OSW_TALK_EXPANDED);
    osw_write_u8(w, m->ok);
    osw_write_u64(w, m->bytes);
    osw_write_str(w, m->text);
}

int osw_protocol_get_expanded(struct osw_reader *r, uint64_t window_bytes,
                              struct osw_expanded *m, struct osw_error *err)
{
    m->ok = osw_read_u8(r) != 0;
    m->bytes = osw_read_u64(r);
    m->text = osw_read_str(r);
    if (!osw_reader_done(r) || m->bytes > window_bytes)
        return osw_fail(err, OSW_PROTOCOL, "malformed expanded message");
    return 0;
}

/* --- arguments: written from values, read as an op sees them --- */

static void put_value(struct osw_writer *w, const struct osw_value *v,
                      const uint64_t **offsets);

static void put_tensor(struct osw_writer *w, const struct osw_tensor_desc *t,
                       uint64_t offset)
{
    osw_write_u8(w, (uint8_t)t->dtype);
    osw_write_u8(w, (uint8_t)t->ndim);
    for (int32_t d = 0; d < t->ndim; d++) {
        osw_write_i64(w, t->shape[d]);
        osw_write_i64(w, t->strides[d]);
    }
    osw_write_u64(w, offset);
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

static void put_text(struct osw_writer *w, const char *s)
{
    osw_write_u8(w, OSW_ARG_STRING);
    osw_write_str(w, s);
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
        put_text(w, v->u.s);
        return;
    }
}

struct args_reader {
    struct osw_reader *r;
    osw_arena_t *arena;
    unsigned char *base; /* NULL: tensors without data */
    uint64_t size;
    osw_device device;
    uint32_t left; /* values that may still come */
    struct osw_error *err;
};

static int bad_args(struct args_reader *a, const char *what)
{
    return osw_fail(a->err, OSW_PROTOCOL, "arguments: %s", what);
}

static int get_tensor(struct args_reader *a, osw_arg *out)
{
    struct osw_output o = {
        .alias = -1, .exact = OSW_NO_OFFSET, .norm = OSW_NO_OFFSET};
    osw_tensor *t = osw_arena_alloc(a->arena, sizeof(*t));
    int64_t *dims = osw_arena_array(a->arena, 2 * OSW_MAX_NDIM, sizeof(*dims));

    if (!t || !dims)
        return osw_fail(a->err, OSW_NO_MEMORY, "no memory for a tensor");
    o.dtype = (enum osw_dtype_id)osw_read_u8(a->r);
    o.ndim = osw_read_u8(a->r);
    if (a->r->overrun || !osw_dtype_info((int)o.dtype) || o.ndim > OSW_MAX_NDIM)
        return bad_args(a, "tensor of unknown dtype or rank");
    for (int32_t d = 0; d < o.ndim; d++) {
        o.shape[d] = dims[d] = osw_read_i64(a->r);
        o.strides[d] = dims[OSW_MAX_NDIM + d] = osw_read_i64(a->r);
    }
    o.offset = osw_read_u64(a->r);
    if (a->r->overrun || !within(o.offset, osw_output_extent(&o), a->size))
        return bad_args(a, "tensor outside the arena");
    t->data = a->base ? a->base + o.offset : NULL;
    t->device = a->device;
    t->ndim = o.ndim;
    t->dtype = osw_dtype_info((int)o.dtype)->dl;
    t->shape = dims;
    t->strides = dims + OSW_MAX_NDIM;
    out->u.tensor = t;
    return 0;
}

/* In the arena; NULL with err. */
static const char *get_name(struct args_reader *a)
{
    const char *name = osw_arena_strdup(a->arena, osw_read_str(a->r));

    if (!name)
        osw_fail(a->err, OSW_NO_MEMORY, "no memory for a name");
    return name;
}

static int get_value(struct args_reader *a, osw_arg *out, int depth);

static int get_items(struct args_reader *a, osw_arg *out, int depth)
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
        const char *key = kind == OSW_ITEMS_DICT ? get_name(a) : "";

        if (!key || get_value(a, &items[i], depth + 1) < 0)
            return -1;
        items[i].name = key;
    }
    items[out->n] = (osw_arg){.tag = OSW_ARG_INT, .name = "", .u.i = kind};
    out->u.items = items;
    return 0;
}

static int get_value(struct args_reader *a, osw_arg *out, int depth)
{
    const struct osw_dtype_info *t;
    const char *s;

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
        s = osw_arena_strdup(a->arena, osw_read_str(a->r));
        if (!s)
            return osw_fail(a->err, OSW_NO_MEMORY, "no memory for a string");
        out->n = (uint32_t)strlen(s);
        out->u.s = s;
        return 0;
    case OSW_ARG_TENSOR:
        return get_tensor(a, out);
    case OSW_ARG_LIST:
        return get_items(a, out, depth);
    default:
        return bad_args(a, "unknown kind");
    }
}

static int get_args(struct args_reader *a, uint32_t n, osw_arg *args,
                    uint8_t *given)
{
    for (uint32_t i = 0; i < n; i++) {
        const char *name = get_name(a);

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

/* --- case --- */

void osw_protocol_put_case(struct osw_writer *w,
                           const struct osw_case_request *m)
{
    const uint64_t *offsets = m->offsets;

    osw_write_u8(w, OSW_TALK_CASE);
    osw_write_u8(w, (uint8_t)m->mode);
    osw_write_u8(w, (uint8_t)m->zone);
    osw_write_u64(w, m->shift);
    osw_write_u8(w, m->pattern);
    osw_write_u64(w, m->seed);
    osw_write_u32(w, m->draw);
    osw_write_u64(w, m->spill);
    osw_write_u32(w, m->n_args);
    for (uint32_t i = 0; i < m->n_args; i++) {
        osw_write_str(w, m->args[i].name);
        osw_write_u8(w, (uint8_t)m->args[i].given);
        put_value(w, m->args[i].value, &offsets);
    }
    osw_write_u32(w, m->n_expected);
    for (uint32_t i = 0; i < m->n_expected; i++)
        put_output(w, &m->expected[i]);
    osw_write_u32(w, m->n_restores);
    for (uint32_t i = 0; i < m->n_restores; i++) {
        osw_write_u64(w, m->restores[i].to);
        osw_write_u64(w, m->restores[i].from);
        osw_write_u64(w, m->restores[i].bytes);
    }
}

static int get_restores(struct osw_reader *r, osw_arena_t *arena, uint64_t size,
                        struct osw_case_received *m, struct osw_error *err)
{
    m->n_restores = osw_read_u32(r);
    if (m->n_restores > OSW_PROTOCOL_MAX_ARGS)
        return osw_fail(err, OSW_PROTOCOL, "%u restores", m->n_restores);
    m->restores = osw_arena_array(arena, m->n_restores, sizeof(*m->restores));
    if (!m->restores)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for restores");
    for (uint32_t i = 0; i < m->n_restores; i++) {
        struct osw_restore *x = &m->restores[i];

        x->to = osw_read_u64(r);
        x->from = osw_read_u64(r);
        x->bytes = osw_read_u64(r);
        if (x->bytes > INT64_MAX || !within(x->to, (int64_t)x->bytes, size) ||
            !within(x->from, (int64_t)x->bytes, size))
            return osw_fail(err, OSW_PROTOCOL, "restore outside the arena");
    }
    return 0;
}

static int get_case(struct osw_reader *r, osw_arena_t *arena,
                    const struct osw_zone_memory zones[OSW_N_ZONES],
                    osw_device device, struct osw_case_received *m,
                    struct osw_error *err)
{
    struct args_reader a = {.r = r,
                            .arena = arena,
                            .device = device,
                            .left = OSW_PROTOCOL_MAX_ARGS,
                            .err = err};

    m->mode = (enum osw_case_mode)osw_read_u8(r);
    m->zone = (enum osw_zone)osw_read_u8(r);
    m->shift = osw_read_u64(r);
    if (m->zone >= OSW_N_ZONES || m->shift > OSW_MAX_SHIFT ||
        m->shift > zones[m->zone].shift_room)
        return osw_fail(err, OSW_PROTOCOL, "malformed case message");
    a.base = zones[m->zone].base;
    if (a.base)
        a.base += m->shift;
    a.size = zones[m->zone].bytes;
    m->pattern = osw_read_u8(r);
    m->seed = osw_read_u64(r);
    m->draw = osw_read_u32(r);
    m->spill = osw_read_u64(r);
    m->n_args = osw_read_u32(r);
    if (r->overrun || m->mode > OSW_MODE_DRAW || m->spill > a.size ||
        m->n_args > OSW_PROTOCOL_MAX_ARGS)
        return osw_fail(err, OSW_PROTOCOL, "malformed case message");
    if (m->mode == OSW_MODE_META)
        a.base = NULL;
    m->args = osw_arena_array(arena, m->n_args, sizeof(*m->args));
    m->given = osw_arena_array(arena, m->n_args, sizeof(*m->given));
    if (!m->args || !m->given)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for arguments");
    if (get_args(&a, m->n_args, m->args, m->given) < 0)
        return -1;
    m->n_expected = osw_read_u32(r);
    if (r->overrun || m->n_expected > OSW_PROTOCOL_MAX_OUTPUTS)
        return osw_fail(err, OSW_PROTOCOL, "%u outputs expected, at most %d",
                        m->n_expected, OSW_PROTOCOL_MAX_OUTPUTS);
    m->expected = osw_arena_array(arena, m->n_expected, sizeof(*m->expected));
    if (!m->expected)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for outputs");
    for (uint32_t i = 0; i < m->n_expected; i++)
        if (get_output(r, a.size, &m->expected[i], err) < 0)
            return -1;
    return get_restores(r, arena, a.size, m, err);
}

int osw_protocol_get_case(struct osw_reader *r, osw_arena_t *arena,
                          const struct osw_zone_memory zones[OSW_N_ZONES],
                          osw_device device, struct osw_case_received *m,
                          struct osw_error *err)
{
    if (get_case(r, arena, zones, device, m, err) < 0)
        return -1;
    if (!osw_reader_done(r))
        return osw_fail(err, OSW_PROTOCOL, "malformed case message");
    return 0;
}

int osw_protocol_get_case_part(struct osw_reader *r, osw_arena_t *arena,
                               const struct osw_zone_memory zones[OSW_N_ZONES],
                               osw_device device, struct osw_case_received *m,
                               struct osw_error *err)
{
    if (osw_protocol_kind(r) != OSW_TALK_CASE)
        return osw_fail(err, OSW_PROTOCOL, "a step without its case");
    if (get_case(r, arena, zones, device, m, err) < 0)
        return -1;
    if (r->overrun)
        return osw_fail(err, OSW_PROTOCOL, "malformed case message");
    return 0;
}

void osw_protocol_put_step(struct osw_writer *w, const struct osw_step *m)
{
    osw_write_u64(w, m->at);
    osw_write_u64(w, m->bytes);
    osw_write_u8(w, m->again);
    osw_write_u8(w, m->pattern);
}

int osw_protocol_get_step(struct osw_reader *r, uint64_t window_bytes,
                          struct osw_step *m, struct osw_error *err)
{
    m->at = osw_read_u64(r);
    m->bytes = osw_read_u64(r);
    m->again = osw_read_u8(r) != 0;
    m->pattern = osw_read_u8(r);
    if (r->overrun || m->bytes > INT64_MAX ||
        !within(m->at, (int64_t)m->bytes, window_bytes))
        return osw_fail(err, OSW_PROTOCOL, "malformed step message");
    return 0;
}

/* --- result --- */

void osw_protocol_put_result(struct osw_writer *w, const struct osw_result *m)
{
    osw_write_u8(w, OSW_TALK_RESULT);
    osw_write_i32(w, m->code);
    osw_write_i32(w, m->device_code);
    osw_write_u8(w, m->lost);
    osw_write_u8(w, m->no_memory);
    osw_write_u8(w, m->late);
    osw_write_u8(w, m->has_state);
    osw_write_str(w, m->text);
    osw_write_i64(w, m->call_ns);
    osw_write_u64(w, m->hash);
    osw_write_f64(w, m->bytes);
    osw_write_f64(w, m->flops);
    osw_write_u64(w, m->guard);
    osw_write_u64(w, m->high_water);
    osw_write_u32(w, m->n_outputs);
    for (uint32_t i = 0; i < m->n_outputs; i++)
        put_output(w, &m->outputs[i]);
}

/* A count of bytes or operations: not negative, not infinite; NaN: unknown. */
static bool is_count(double v)
{
    return isnan(v) || (v >= 0 && !isinf(v));
}

/* An output may be one of the case's arguments, or share its memory. */
static bool names_args(const struct osw_output *o, uint32_t n_args)
{
    return o->alias >= -1 && o->alias < (int64_t)n_args &&
           (o->shares < OSW_SHARES_ARGUMENT ||
            o->shares - OSW_SHARES_ARGUMENT < n_args);
}

static int get_result(struct osw_reader *r, uint64_t zone_bytes,
                      uint32_t n_args, struct osw_result *m,
                      struct osw_error *err)
{
    m->code = osw_read_i32(r);
    m->device_code = osw_read_i32(r);
    m->lost = osw_read_u8(r) != 0;
    m->no_memory = osw_read_u8(r) != 0;
    m->late = osw_read_u8(r) != 0;
    m->has_state = osw_read_u8(r) != 0;
    m->text = osw_read_str(r);
    m->call_ns = osw_read_i64(r);
    m->hash = osw_read_u64(r);
    m->bytes = osw_read_f64(r);
    m->flops = osw_read_f64(r);
    m->guard = osw_read_u64(r);
    m->high_water = osw_read_u64(r);
    m->n_outputs = osw_read_u32(r);
    if (r->overrun || m->n_outputs > OSW_PROTOCOL_MAX_OUTPUTS ||
        m->high_water > zone_bytes ||
        (m->guard != OSW_NO_OFFSET &&
         !within(m->guard, OSW_GUARD_BYTES, zone_bytes)) ||
        m->call_ns < 0 || !is_count(m->bytes) || !is_count(m->flops))
        return osw_fail(err, OSW_PROTOCOL, "malformed result message");
    for (uint32_t i = 0; i < m->n_outputs; i++) {
        if (get_output(r, zone_bytes, &m->outputs[i], err) < 0)
            return -1;
        if (!names_args(&m->outputs[i], n_args))
            return osw_fail(err, OSW_PROTOCOL,
                            "output %u is argument %d (memory of %u), of %u", i,
                            (int)m->outputs[i].alias, m->outputs[i].shares,
                            n_args);
    }
    return 0;
}

int osw_protocol_get_result(struct osw_reader *r, uint64_t zone_bytes,
                            uint32_t n_args, struct osw_result *m,
                            struct osw_error *err)
{
    if (get_result(r, zone_bytes, n_args, m, err) < 0)
        return -1;
    if (!osw_reader_done(r))
        return osw_fail(err, OSW_PROTOCOL, "malformed result message");
    return 0;
}

int osw_protocol_get_result_part(struct osw_reader *r, uint64_t zone_bytes,
                                 uint32_t n_args, struct osw_result *m,
                                 struct osw_error *err)
{
    if (osw_protocol_kind(r) != OSW_TALK_RESULT)
        return osw_fail(err, OSW_PROTOCOL, "a result of another kind");
    return get_result(r, zone_bytes, n_args, m, err);
}

/* --- time --- */

static void put_edits(struct osw_writer *w, const struct osw_edits *e)
{
    osw_write_u64(w, e->seed);
    osw_write_u32(w, e->n_each);
    osw_write_u8(w, e->pattern);
    osw_write_u32(w, e->n_inputs);
    osw_write_u32(w, e->n_outputs);
    for (uint32_t i = 0; i < e->n_inputs + e->n_outputs; i++) {
        const struct osw_span *s = &e->spans[i];

        osw_write_u64(w, s->at);
        osw_write_u32(w, s->n);
        osw_write_u8(w, s->size);
        osw_write_u8(w, s->kind);
        osw_write_u8(w, s->brought);
    }
}

void osw_protocol_put_time(struct osw_writer *w,
                           const struct osw_time_request *m)
{
    osw_write_u8(w, OSW_TALK_TIME);
    osw_write_u32(w, m->n_samples);
    osw_write_u32(w, m->n_inner);
    osw_write_u8(w, m->cold);
    osw_write_u8(w, m->bare);
    osw_write_u8(w, m->wall);
    osw_write_u8(w, m->refresh);
    osw_write_u8(w, m->edits != NULL);
    if (m->edits)
        put_edits(w, m->edits);
}

static bool get_span(struct osw_reader *r, uint64_t zone_bytes, bool output,
                     struct osw_span *s)
{
    s->at = osw_read_u64(r);
    s->n = osw_read_u32(r);
    s->size = osw_read_u8(r);
    s->kind = osw_read_u8(r);
    s->brought = osw_read_u8(r) != 0;
    return s->size > 0 && s->size <= 16 && (s->size & (s->size - 1)) == 0 &&
           s->n >= (output ? 1 : 2) &&
           (output ? s->kind == OSW_SPAN_POISON : s->kind <= OSW_SPAN_SWAP) &&
           s->at <= zone_bytes &&
           (uint64_t)s->n * s->size <= zone_bytes - s->at;
}

static bool get_edits(struct osw_reader *r, uint64_t zone_bytes,
                      struct osw_edits *e)
{
    e->seed = osw_read_u64(r);
    e->n_each = osw_read_u32(r);
    e->pattern = osw_read_u8(r);
    e->n_inputs = osw_read_u32(r);
    e->n_outputs = osw_read_u32(r);
    if (e->n_each > OSW_EDITS_MAX_EACH || e->n_inputs > OSW_EDITS_MAX_SPANS ||
        e->n_outputs > OSW_EDITS_MAX_SPANS - e->n_inputs)
        return false;
    for (uint32_t i = 0; i < e->n_inputs + e->n_outputs; i++)
        if (!get_span(r, zone_bytes, i >= e->n_inputs, &e->spans[i]))
            return false;
    return true;
}

int osw_protocol_get_time(struct osw_reader *r, uint64_t zone_bytes,
                          struct osw_edits *edits, struct osw_time_request *m,
                          struct osw_error *err)
{
    bool ok = true;

    m->n_samples = osw_read_u32(r);
    m->n_inner = osw_read_u32(r);
    m->cold = osw_read_u8(r) != 0;
    m->bare = osw_read_u8(r) != 0;
    m->wall = osw_read_u8(r) != 0;
    m->refresh = osw_read_u8(r) != 0;
    m->edits = osw_read_u8(r) ? edits : NULL;
    if (m->edits)
        ok = get_edits(r, zone_bytes, edits);
    if (!ok || !osw_reader_done(r) || m->n_samples > OSW_PROTOCOL_MAX_SAMPLES)
        return osw_fail(err, OSW_PROTOCOL, "malformed time message");
    return 0;
}

void osw_protocol_put_samples(struct osw_writer *w,
                              const struct osw_time_reply *m)
{
    void *p;

    osw_write_u8(w, OSW_TALK_SAMPLES);
    osw_write_i32(w, m->code);
    osw_write_u8(w, m->timer);
    osw_write_u8(w, m->lost);
    osw_write_str(w, m->text);
    osw_write_u32(w, m->n);
    p = osw_write_raw(w, m->n * sizeof(float));
    if (p && m->n)
        memcpy(p, m->samples, m->n * sizeof(float));
}

int osw_protocol_get_samples(struct osw_reader *r, struct osw_time_reply *m,
                             struct osw_error *err)
{
    const void *p;

    m->code = osw_read_i32(r);
    m->timer = osw_read_u8(r);
    m->lost = osw_read_u8(r) != 0;
    m->text = osw_read_str(r);
    m->n = osw_read_u32(r);
    if (r->overrun || m->n > OSW_PROTOCOL_MAX_SAMPLES)
        return osw_fail(err, OSW_PROTOCOL, "malformed samples message");
    p = osw_read_raw(r, m->n * sizeof(float));
    if (!osw_reader_done(r))
        return osw_fail(err, OSW_PROTOCOL, "malformed samples message");
    if (m->n)
        memcpy(m->samples, p, m->n * sizeof(float));
    for (uint32_t i = 0; i < m->n; i++)
        if (!(m->samples[i] >= 0 && m->samples[i] <= OSW_PROTOCOL_MAX_SAMPLE))
            return osw_fail(err, OSW_PROTOCOL,
                            "sample %u of %u: expected 0 to %g ns, found %g ns",
                            i, m->n, OSW_PROTOCOL_MAX_SAMPLE,
                            (double)m->samples[i]);
    return 0;
}

uint8_t osw_protocol_kind(struct osw_reader *r)
{
    return osw_read_u8(r);
}
