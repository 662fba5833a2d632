/* worker/protocol.c - what judge and sandbox say to each other */
#include "worker/protocol.h"

#include <math.h>
#include <string.h>

#include "common/wire_fields.h"
#include "ops/notation/tensor.h"
#include "worker/protocol_args.h"
#include "worker/segment.h"

/* --- what messages say, in order, for writing and for reading --- */

/* clang-format off */
#define B OSW_FIELD_BYTE
#define F OSW_FIELD
#define F2 OSW_FIELDS_2
#define F3 OSW_FIELDS_3
#define F4 OSW_FIELDS_4
#define F5 OSW_FIELDS_5
#define F6 OSW_FIELDS_6
#define F7 OSW_FIELDS_7

static const struct osw_field
load_fields[] = { F7(osw_load, window_bytes, n_threads, reference, generator,
                     device, path, symbol) },
arena_fields[] = { F2(osw_arena_offer, bytes, handle) },
join_fields[] = { F3(osw_join, rank, size, one_node) },
loaded_fields[] = { F7(osw_loaded, ok, has_prepare, has_finish, has_meta,
                       has_work, own_outputs, text) },
expanded_fields[] = { F3(osw_expanded, ok, bytes, text) },
restore_fields[] = { F3(osw_restore, to, from, bytes) },
step_fields[] = { F4(osw_step, at, bytes, again, pattern) },
result_fields[] = { F(osw_result, code),
                    F7(osw_result, device_code, lost, no_memory, late,
                       has_state, beside, text) },
result_sizes[] = { F(osw_result, call_ns),
                   F7(osw_result, hash, bytes, flops, guard, guard_bytes,
                      high_water, n_outputs) },
time_fields[] = { F7(osw_time_request, n_samples, n_inner, cold, stamped, wall,
                     refresh, live) },
edits_fields[] = { F6(osw_edits, seed, n_each, whole, pattern, n_inputs, n_outputs) },
span_fields[] = { F7(osw_span, at, n, size, kind, mantissa, doubles, brought) },
samples_fields[] = { F(osw_time_reply, code),
                     F4(osw_time_reply, timer, lost, text, n) },
/* The fields before the dimensions of an output, and those after them. */
output_fields[] = { B(osw_output, dtype), B(osw_output, ndim),
                    F2(osw_output, alias, shares) },
place_fields[] = { F3(osw_output, offset, exact, norm) },
/* The judge's and the sandbox's struct of a case begin alike. */
#define CASE(of)                                                               \
    { B(of, mode), B(of, zone), F(of, moved), F(of, rank), F(of, world),       \
      F6(of, shift, pattern, seed, draw, spill, n_args) }
request_fields[] = CASE(osw_case_request),
received_fields[] = CASE(osw_case_received);
/* clang-format on */

static int malformed(const char *name, struct osw_error *err)
{
    return osw_fail(err, OSW_PROTOCOL, "malformed %s message", name);
}

/* A message that is its fields. */
static void put_message(struct osw_writer *w, enum osw_talk kind, const void *m,
                        const struct osw_field *f)
{
    osw_write_u8(w, (uint8_t)kind);
    osw_fields_put(w, m, f);
}

/* --- outputs --- */

static void put_output(struct osw_writer *w, const struct osw_output *o)
{
    osw_fields_put(w, o, output_fields);
    osw_dims_put(w, o->ndim, o->shape, o->strides);
    osw_fields_put(w, o, place_fields);
}

int64_t osw_output_numel(const struct osw_output *o)
{
    int64_t n = 1;

    for (int32_t d = 0; d < o->ndim; d++)
        if (o->shape[d] < 0 || __builtin_mul_overflow(n, o->shape[d], &n))
            return -1;
    return n;
}

int64_t osw_output_n_exact(const struct osw_output *o)
{
    const struct osw_dtype_info *t = osw_dtype_info((int)o->dtype);
    int64_t n = osw_output_numel(o), parts;

    parts = t && t->class == OSW_CLASS_COMPLEX ? 2 : 1;
    return n < INT64_MAX / parts ? n * parts : INT64_MAX;
}

int64_t osw_output_extent(const struct osw_output *o)
{
    const struct osw_dtype_info *t = osw_dtype_info((int)o->dtype);
    int64_t n = t ? osw_output_numel(o) : -1, bytes;

    if (n <= 0)
        return n;
    for (int32_t d = 0; d < o->ndim; d++)
        if (o->strides[d] < 0)
            return -1;
    n = osw_tensor_extent(o->ndim, o->shape, o->strides);
    return n < 0 || __builtin_mul_overflow(n, (int64_t)t->bytes, &bytes)
               ? -1
               : bytes;
}

static bool side_within(uint64_t offset, int64_t numel, uint64_t size)
{
    return offset == OSW_NO_OFFSET ||
           (offset % sizeof(double) == 0 &&
            numel <= INT64_MAX / (int64_t)sizeof(double) &&
            osw_is_within(offset, numel * (int64_t)sizeof(double), size));
}

static int get_output(struct osw_reader *r, uint64_t size, struct osw_output *o,
                      struct osw_error *err)
{
    const struct osw_dtype_info *t;

    memset(o, 0, sizeof(*o));
    osw_fields_get(r, o, output_fields);
    t = osw_dtype_info((int)o->dtype);
    if (r->overrun || !t || o->ndim > OSW_MAX_NDIM)
        return osw_fail(err, OSW_PROTOCOL,
                        "output of dtype %d with %d dimensions, at most %d",
                        (int)o->dtype, (int)o->ndim, (int)OSW_MAX_NDIM);
    osw_dims_get(r, o);
    osw_fields_get(r, o, place_fields);
    if (r->overrun || !osw_is_within(o->offset, osw_output_extent(o), size) ||
        o->offset % t->bytes != 0 ||
        !side_within(o->exact, osw_output_n_exact(o), size) ||
        !side_within(o->norm, osw_output_numel(o), size))
        return osw_fail(err, OSW_PROTOCOL,
                        "output at %llu does not lie in its zone of %llu B",
                        (unsigned long long)o->offset,
                        (unsigned long long)size);
    return 0;
}

/* --- messages that are their fields --- */

#define MESSAGE(name, kind, type, is_good)                                     \
    void osw_protocol_put_##name(struct osw_writer *w, const struct type *m)   \
    {                                                                          \
        put_message(w, kind, m, name##_fields);                                \
    }                                                                          \
    int osw_protocol_get_##name(struct osw_reader *r, struct type *m,          \
                                struct osw_error *err)                         \
    {                                                                          \
        osw_fields_get(r, m, name##_fields);                                   \
        return osw_reader_done(r) && (is_good) ? 0 : malformed(#name, err);    \
    }
/* clang-format off */
MESSAGE(arena, OSW_TALK_ARENA, osw_arena_offer, true)
MESSAGE(join, OSW_TALK_JOIN, osw_join, osw_segment_fits(m->rank, m->size))
MESSAGE(loaded, OSW_TALK_LOADED, osw_loaded, true)
/* clang-format on */

void osw_protocol_put_load(struct osw_writer *w, const struct osw_load *m)
{
    osw_write_u8(w, OSW_TALK_LOAD);
    osw_write_u16(w, OSW_PROTOCOL_VERSION);
    osw_fields_put(w, m, load_fields);
}

int osw_protocol_get_load(struct osw_reader *r, struct osw_load *m,
                          struct osw_error *err)
{
    uint16_t version = osw_read_u16(r);

    if (version != OSW_PROTOCOL_VERSION)
        return osw_fail(err, OSW_PROTOCOL,
                        "judge speaks version %d, sandbox %d", version,
                        OSW_PROTOCOL_VERSION);
    osw_fields_get(r, m, load_fields);
    return osw_reader_done(r) ? 0 : malformed("load", err);
}

void osw_protocol_put_expanded(struct osw_writer *w,
                               const struct osw_expanded *m)
{
    put_message(w, OSW_TALK_EXPANDED, m, expanded_fields);
}

int osw_protocol_get_expanded(struct osw_reader *r, uint64_t window_bytes,
                              struct osw_expanded *m, struct osw_error *err)
{
    osw_fields_get(r, m, expanded_fields);
    return osw_reader_done(r) && m->bytes <= window_bytes
               ? 0
               : malformed("expanded", err);
}

/* --- case --- */

void osw_protocol_put_case(struct osw_writer *w,
                           const struct osw_case_request *m)
{
    put_message(w, OSW_TALK_CASE, m, request_fields);
    osw_args_put(w, m->args, m->n_args, m->offsets);
    osw_write_u32(w, m->n_expected);
    for (uint32_t i = 0; i < m->n_expected; i++)
        put_output(w, &m->expected[i]);
    osw_write_u32(w, m->n_restores);
    for (uint32_t i = 0; i < m->n_restores; i++)
        osw_fields_put(w, &m->restores[i], restore_fields);
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

        osw_fields_get(r, x, restore_fields);
        if (x->bytes > INT64_MAX ||
            !osw_is_within(x->to, (int64_t)x->bytes, size) ||
            !osw_is_within(x->from, (int64_t)x->bytes, size))
            return osw_fail(err, OSW_PROTOCOL, "restore outside the arena");
    }
    return 0;
}

static int get_case(struct osw_reader *r, osw_arena_t *arena,
                    const struct osw_zone_memory zones[OSW_N_ZONES],
                    osw_device device, struct osw_case_received *m,
                    struct osw_error *err)
{
    struct osw_args_reader a = {.r = r,
                                .arena = arena,
                                .device = device,
                                .left = OSW_PROTOCOL_MAX_ARGS,
                                .err = err};

    osw_fields_get(r, m, received_fields);
    if (r->overrun || m->mode > OSW_MODE_DRAW || m->zone >= OSW_N_ZONES ||
        m->shift > OSW_MAX_SHIFT || m->shift > zones[m->zone].shift_room ||
        m->spill > zones[m->zone].bytes || m->n_args > OSW_PROTOCOL_MAX_ARGS ||
        (m->world
             ? !osw_segment_fits(m->rank, m->world) || m->n_args % m->world != 0
             : m->rank != 0))
        return malformed("case", err);
    a.size = zones[m->zone].bytes;
    a.base = zones[m->zone].base;
    if (a.base)
        a.base += m->shift;
    if (m->mode == OSW_MODE_META)
        a.base = NULL;
    m->args = osw_arena_array(arena, m->n_args, sizeof(*m->args));
    m->given = osw_arena_array(arena, m->n_args, sizeof(*m->given));
    if (!m->args || !m->given)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for arguments");
    if (osw_args_get(&a, m->n_args, m->args, m->given) < 0)
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
    return osw_reader_done(r) ? 0 : malformed("case", err);
}

int osw_protocol_moved_zone(struct osw_reader r)
{
    struct osw_case_received head = {.moved = false};

    osw_fields_get(&r, &head, received_fields);
    return !r.overrun && head.moved && head.zone < OSW_N_ZONES ? (int)head.zone
                                                               : -1;
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
    return r->overrun ? malformed("case", err) : 0;
}

void osw_protocol_put_step(struct osw_writer *w, const struct osw_step *m)
{
    osw_fields_put(w, m, step_fields);
}

int osw_protocol_get_step(struct osw_reader *r, uint64_t window_bytes,
                          struct osw_step *m, struct osw_error *err)
{
    osw_fields_get(r, m, step_fields);
    if (r->overrun || m->bytes > INT64_MAX ||
        !osw_is_within(m->at, (int64_t)m->bytes, window_bytes))
        return malformed("step", err);
    return 0;
}

/* --- result --- */

void osw_protocol_put_result(struct osw_writer *w, const struct osw_result *m)
{
    put_message(w, OSW_TALK_RESULT, m, result_fields);
    osw_fields_put(w, m, result_sizes);
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
    return o->alias >= -1 &&
           (o->alias < 0 || osw_output_alias_arg(o->alias) < n_args) &&
           (o->shares < OSW_SHARES_ARGUMENT ||
            o->shares - OSW_SHARES_ARGUMENT < n_args);
}

static int get_result(struct osw_reader *r, uint64_t zone_bytes,
                      uint32_t n_args, struct osw_result *m,
                      struct osw_error *err)
{
    osw_fields_get(r, m, result_fields);
    osw_fields_get(r, m, result_sizes);
    if (r->overrun || m->n_outputs > OSW_PROTOCOL_MAX_OUTPUTS ||
        m->high_water > zone_bytes ||
        (m->guard != OSW_NO_OFFSET &&
         (m->guard_bytes > zone_bytes ||
          !osw_is_within(m->guard, (int64_t)m->guard_bytes, zone_bytes))) ||
        m->call_ns < 0 || !is_count(m->bytes) || !is_count(m->flops))
        return malformed("result", err);
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
    return osw_reader_done(r) ? 0 : malformed("result", err);
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

void osw_protocol_put_time(struct osw_writer *w,
                           const struct osw_time_request *m)
{
    const struct osw_edits *e = m->edits;

    put_message(w, OSW_TALK_TIME, m, time_fields);
    osw_write_u8(w, e != NULL);
    if (!e)
        return;
    osw_fields_put(w, e, edits_fields);
    for (uint32_t i = 0; i < e->n_inputs + e->n_outputs; i++)
        osw_fields_put(w, &e->spans[i], span_fields);
}

static bool get_span(struct osw_reader *r, uint64_t zone_bytes, bool output,
                     struct osw_span *s)
{
    osw_fields_get(r, s, span_fields);
    return s->size > 0 && s->size <= 16 && (s->size & (s->size - 1)) == 0 &&
           s->n >= (output ? 1 : 2) &&
           (output ? s->kind == OSW_SPAN_POISON : s->kind <= OSW_SPAN_SWAP) &&
           (s->mantissa == 0 ||
            (s->size <= 8 && s->mantissa < 8 * s->size - 2)) &&
           s->at <= zone_bytes &&
           (uint64_t)s->n * s->size <= zone_bytes - s->at;
}

static bool get_edits(struct osw_reader *r, uint64_t zone_bytes,
                      struct osw_edits *e)
{
    osw_fields_get(r, e, edits_fields);
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
    osw_fields_get(r, m, time_fields);
    m->edits = osw_read_u8(r) ? edits : NULL;
    return (!m->edits || get_edits(r, zone_bytes, edits)) &&
                   osw_reader_done(r) &&
                   m->n_samples <= OSW_PROTOCOL_MAX_SAMPLES
               ? 0
               : malformed("time", err);
}

/* --- samples --- */

void osw_protocol_put_samples(struct osw_writer *w,
                              const struct osw_time_reply *m)
{
    put_message(w, OSW_TALK_SAMPLES, m, samples_fields);
    osw_write_bytes(w, m->samples, m->n * sizeof(float));
}

int osw_protocol_get_samples(struct osw_reader *r, struct osw_time_reply *m,
                             struct osw_error *err)
{
    const void *p;

    osw_fields_get(r, m, samples_fields);
    p = m->n <= OSW_PROTOCOL_MAX_SAMPLES ? osw_read_raw(r, m->n * sizeof(float))
                                         : NULL;
    if (!p || !osw_reader_done(r))
        return malformed("samples", err);
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
