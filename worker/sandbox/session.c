/* worker/sandbox/session.c - outputs and scratch memory for op code */
#include "worker/sandbox/session.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/text.h"
#include "worker/sandbox/gang_nccl.h"
#include "worker/sandbox/sockets.h"

enum { ALIGN = 256, GAP = 4096, CHUNK = 1024, TOKEN = 4096 };

static struct osw_session *session_of(const osw_call *call)
{
    return call->runner;
}

void osw_session_say(struct osw_session *s, const char *format, ...)
{
    va_list words;

    if (s->text[0])
        return;
    va_start(words, format);
    vsnprintf(s->text, sizeof(s->text), format, words);
    va_end(words);
}

uint64_t osw_session_take(struct osw_session *s, uint64_t *used, uint64_t limit,
                          uint64_t bytes)
{
    uint64_t at = (*used + GAP + ALIGN - 1) / ALIGN * ALIGN;

    if (s->meta)
        return 0;
    if (at > limit || bytes > limit - at) {
        s->result.no_memory = true;
        osw_session_say(s, "the case needs more memory than it was given");
        return OSW_NO_OFFSET;
    }
    *used = at + bytes;
    return at;
}

static uint64_t take_spill(struct osw_session *s, uint64_t bytes)
{
    return osw_session_take(s, &s->cursor, s->limit, bytes);
}

static bool same_shape(const struct osw_output *a, const struct osw_output *b)
{
    return a->dtype == b->dtype && a->ndim == b->ndim &&
           memcmp(a->shape, b->shape, sizeof(a->shape[0]) * (size_t)a->ndim) ==
               0;
}

/* Describe what op code asks for; false when that is no tensor at all. */
static bool describe(struct osw_output *o, osw_dtype dtype, int32_t ndim,
                     const int64_t *shape, const int64_t *strides)
{
    const struct osw_dtype_info *t = osw_dtype_from_dl(dtype);
    int64_t stride = 1;

    memset(o, 0, sizeof(*o));
    o->alias = -1;
    o->exact = o->norm = OSW_NO_OFFSET;
    if (!t || ndim < 0 || ndim > OSW_MAX_NDIM)
        return false;
    o->dtype = t->id;
    o->ndim = ndim;
    for (int32_t d = ndim - 1; d >= 0; d--) {
        o->shape[d] = shape[d];
        o->strides[d] = strides ? strides[d] : stride;
        if (__builtin_mul_overflow(stride, shape[d] > 1 ? shape[d] : 1,
                                   &stride))
            return false;
    }
    return osw_output_extent(o) >= 0;
}

static osw_tensor *hand_out(struct osw_session *s, int i)
{
    struct osw_output *o = &s->result.outputs[i];
    struct osw_handed_out *to = &s->handed_out[i];
    osw_tensor *t = &to->tensor;

    memcpy(to->shape, o->shape, sizeof(to->shape));
    memcpy(to->strides, o->strides, sizeof(to->strides));
    t->data = s->meta ? NULL : s->base + o->offset;
    t->device = (osw_device){s->device->ops->dl_type, s->device->index};
    t->ndim = o->ndim;
    t->dtype = osw_dtype_info((int)o->dtype)->dl;
    t->shape = to->shape;
    t->strides = to->strides;
    t->byte_offset = 0;
    if ((uint32_t)i >= s->result.n_outputs)
        s->result.n_outputs = (uint32_t)i + 1;
    return t;
}

/* Outputs are declared in order, so that none is left undescribed. */
static bool in_order(struct osw_session *s, int i)
{
    if (i < 0 || i >= OSW_PROTOCOL_MAX_OUTPUTS)
        osw_session_say(s, "output %d was asked for: expected 0 to %d", i,
                        OSW_PROTOCOL_MAX_OUTPUTS - 1);
    else if ((uint32_t)i > s->result.n_outputs)
        osw_session_say(s, "output %d was asked for before output %u", i,
                        s->result.n_outputs);
    else
        return true;
    return false;
}

static void say_impossible(struct osw_session *s, int i, osw_dtype dtype,
                           int32_t ndim, const int64_t *shape)
{
    if (!osw_dtype_from_dl(dtype)) {
        osw_session_say(s, "output %d: no dtype has code %d, %d bits, %d lanes",
                        i, dtype.code, dtype.bits, dtype.lanes);
        return;
    }
    if (ndim < 0 || ndim > OSW_MAX_NDIM) {
        osw_session_say(s, "output %d: %d dimensions, expected 0 to %d", i,
                        ndim, OSW_MAX_NDIM);
        return;
    }
    for (int32_t d = 0; d < ndim; d++)
        if (shape[d] < 0)
            osw_session_say(
                s, "output %d: dimension %d is %" PRId64 ", expected 0 or more",
                i, d, shape[d]);
    osw_session_say(s, "output %d: more than 2^63 bytes, or a negative stride",
                    i);
}

/* An output elsewhere than the judge laid it out, such as one with longer rows:
 * the judge has not poisoned it there, nor the guards on both sides of it.
 */
static uint64_t place_elsewhere(struct osw_session *s, uint64_t bytes)
{
    uint64_t guard = s->reference || s->meta ? 0 : osw_guard_bytes(bytes);
    uint64_t at = take_spill(s, bytes + 2 * guard);

    if (at == OSW_NO_OFFSET)
        return at;
    if (guard && s->poison_scratch)
        s->device->ops->set(s->device, s->base + at, s->job.pattern,
                            bytes + 2 * guard);
    return at + guard;
}

static osw_tensor *give_output(const osw_call *call, int i, osw_dtype dtype,
                               int32_t ndim, const int64_t *shape,
                               const int64_t *strides)
{
    struct osw_session *s = session_of(call);
    const struct osw_output *want;
    struct osw_output o;

    if (!in_order(s, i))
        return NULL;
    if (!describe(&o, dtype, ndim, shape, strides)) {
        say_impossible(s, i, dtype, ndim, shape);
        return NULL;
    }
    want = (uint32_t)i < s->job.n_expected ? &s->job.expected[i] : NULL;
    if (want && want->alias < 0 && same_shape(want, &o) &&
        osw_output_extent(&o) <= osw_output_extent(want))
        o.offset = want->offset;
    else
        o.offset = place_elsewhere(s, (uint64_t)osw_output_extent(&o));
    if (o.offset == OSW_NO_OFFSET)
        return NULL;
    s->result.outputs[i] = o;
    return hand_out(s, i);
}

/* The tensor of an argument at *place, counted down; NULL: it has fewer. */
static const osw_tensor *tensor_at(const osw_arg *a, uint32_t *place)
{
    const osw_tensor *found = NULL;

    if (a->tag == OSW_ARG_TENSOR)
        return (*place)-- == 0 ? a->u.tensor : NULL;
    for (uint32_t i = 0; a->tag == OSW_ARG_LIST && i < a->n && !found; i++)
        found = tensor_at(&a->u.items[i], place);
    return found;
}

osw_tensor *osw_session_alias(struct osw_session *s, int i, int32_t alias)
{
    uint32_t arg = osw_output_alias_arg(alias);
    uint32_t place = osw_output_alias_place(alias);
    const osw_tensor *t =
        arg < s->call.n_args ? tensor_at(&s->call.args[arg], &place) : NULL;
    struct osw_output o;

    if (!in_order(s, i))
        return NULL;
    if (!t || !describe(&o, t->dtype, t->ndim, t->shape, t->strides)) {
        osw_session_say(
            s, "an output can only alias an argument that is a tensor");
        return NULL;
    }
    o.alias = alias;
    o.shares = OSW_SHARES_ARGUMENT + arg;
    if (!s->meta)
        o.offset = (uint64_t)((unsigned char *)osw_data(t) - s->base);
    s->result.outputs[i] = o;
    return hand_out(s, i);
}

/* The next tensor of a list: the first that no output before i is. */
static osw_tensor *give_next_of_list(struct osw_session *s, int i, int arg)
{
    uint32_t place = 0, at;

    for (uint32_t k = 0; (int)k < i && k < s->result.n_outputs; k++) {
        int32_t alias = s->result.outputs[k].alias;

        place += alias >= 0 && osw_output_alias_arg(alias) == (uint32_t)arg;
    }
    at = place;
    if (tensor_at(&s->call.args[arg], &at))
        return osw_session_alias(s, i,
                                 osw_output_alias_of((uint32_t)arg, place));
    osw_session_say(
        s, "output %d: argument %d is a list of %u tensor%s, all are outputs",
        i, arg, place, osw_plural(place));
    return NULL;
}

static osw_tensor *give_alias(const osw_call *call, int i, int arg)
{
    struct osw_session *s = session_of(call);

    if (osw_arg_at(call, arg)->tag == OSW_ARG_LIST)
        return give_next_of_list(s, i, arg);
    return osw_session_alias(s, i, osw_arg_tensor(call, arg) ? arg : INT32_MAX);
}

static double *give_side(const osw_call *call, int i, bool norm)
{
    struct osw_session *s = session_of(call);
    struct osw_output *o;
    uint64_t *at;

    if (i < 0 || (uint32_t)i >= s->result.n_outputs) {
        osw_session_say(s,
                        "output %d: osw_output_%s() comes before osw_output()",
                        i, norm ? "norm" : "exact");
        return NULL;
    }
    o = &s->result.outputs[i];
    at = norm ? &o->norm : &o->exact;
    if (norm && osw_dtype_info((int)o->dtype)->class == OSW_CLASS_COMPLEX)
        return NULL;
    if (*at == OSW_NO_OFFSET) {
        uint64_t bytes = (uint64_t)osw_output_n_exact(o) * sizeof(double);

        *at = take_spill(s, bytes);
        /* What is never filled must not look like zeros. */
        if (*at != OSW_NO_OFFSET && !s->meta && s->poison_scratch)
            s->device->ops->set(s->device, s->base + *at, OSW_UNFILLED, bytes);
    }
    if (*at == OSW_NO_OFFSET || s->meta)
        return NULL;
    return (double *)(s->base + *at);
}

static double *give_exact(const osw_call *call, int i)
{
    return give_side(call, i, false);
}

static double *give_norm(const osw_call *call, int i)
{
    return give_side(call, i, true);
}

/* --- zones --- */

void osw_session_enter_zone(struct osw_session *s)
{
    bool mirrored =
        s->device->ops->own_memory && s->job.zone == OSW_ZONE_WINDOW;
    const struct osw_map *map = s->job.zone == OSW_ZONE_ARENA ? &s->arena
                                : mirrored                    ? &s->mirror
                                                              : &s->window;

    s->base = (unsigned char *)map->base + s->job.shift;
    s->shown = s->job.zone == OSW_ZONE_WINDOW ? s->window.base : s->base;
    s->scratch = *map;
    s->scratch.base = s->base;
    if (mirrored) {
        s->limit = s->window.bytes;
        s->scratch.base = s->base + s->window.bytes;
        s->scratch.bytes = OSW_MIRROR_SPILL;
    } else if (s->job.zone == OSW_ZONE_ARENA) {
        s->limit = map->bytes - OSW_MAX_SHIFT;
    } else {
        s->limit = map->bytes;
    }
}

void osw_session_enter_slice(struct osw_session *s, const struct osw_step *step)
{
    s->shown = (unsigned char *)s->window.base + step->at;
    s->limit = step->bytes;
}

void osw_session_copy_in(struct osw_session *s)
{
    if (s->shown != s->base)
        s->device->ops->copy(s->device, s->base, s->shown, s->job.spill);
}

static void show(struct osw_session *s, uint64_t from, uint64_t bytes)
{
    s->device->ops->copy(s->device, s->shown + from, s->base + from, bytes);
}

/* What differs from what is there: most of it are guards, which stay in the
 * judge's cache then.  In the host's memory only.
 */
static void show_changes(struct osw_session *s, uint64_t bytes)
{
    for (uint64_t at = 0; at < bytes; at += CHUNK) {
        uint64_t n = bytes - at < CHUNK ? bytes - at : CHUNK;

        if (memcmp(s->shown + at, s->base + at, (size_t)n) != 0)
            show(s, at, n);
    }
}

/* Of a reference the judge reads nothing but what it made, and arguments that
 * it may have written.  In the host's
 * memory, copies cost bytes; on a device they cost being asked for.
 */
static void show_outputs(struct osw_session *s)
{
    for (uint32_t i = 0; i < s->job.n_restores; i++)
        show(s, s->job.restores[i].to, s->job.restores[i].bytes);
    for (uint32_t i = 0; i < s->result.n_outputs; i++) {
        const struct osw_output *o = &s->result.outputs[i];
        uint64_t side = (uint64_t)osw_output_n_exact(o) * sizeof(double);

        show(s, o->offset, (uint64_t)osw_output_extent(o));
        if (o->exact != OSW_NO_OFFSET)
            show(s, o->exact, side);
        if (o->norm != OSW_NO_OFFSET)
            show(s, o->norm, side);
    }
}

static void show_all(struct osw_session *s)
{
    if (s->shown == s->base)
        return;
    if (s->device->ops->own_memory)
        show(s, 0, s->cursor);
    else if (s->reference)
        show_outputs(s);
    else
        show_changes(s, s->cursor);
}

void osw_session_copy_out(struct osw_session *s)
{
    osw_session_show_workspace(s);
    s->result.high_water = s->cursor;
    show_all(s);
}

void osw_session_hash_out(struct osw_session *s, uint32_t slot)
{
    const struct osw_device_ops *ops = s->device->ops;
    uint32_t n = s->result.n_outputs;
    bool both = n > 0 && s->shown != s->base && ops->own_memory;

    osw_session_show_workspace(s);
    s->result.high_water = s->cursor;
    ops->hash_begin(s->device, slot);
    for (uint32_t i = 0; i < n; i++) {
        const struct osw_output *o = &s->result.outputs[i];
        uint64_t bytes = (uint64_t)osw_output_extent(o);

        if (both && i + 1 == n)
            ops->hash_copy(s->device, s->base + o->offset, bytes, i, s->shown,
                           s->base, s->cursor);
        else
            ops->hash(s->device, s->base + o->offset, bytes, i);
    }
    if (!both)
        show_all(s);
}

static int keep_error(const osw_call *call, const char *message)
{
    osw_session_say(session_of(call), "%s", message ? message : "");
    return OSW_ERROR;
}

/* --- gangs --- */

static void say_of_gang(void *arg, const char *text)
{
    osw_session_say(arg, "%s", text);
}

static bool copy_of_gang(void *arg, void *to, const void *from, uint64_t bytes)
{
    struct osw_session *s = arg;
    struct osw_error err = OSW_ERROR_INIT;
    bool lost;

    s->device->ops->copy(s->device, to, from, bytes);
    if (s->device->ops->sync(s->device, &lost, &err) == 0)
        return true;
    osw_session_say(s, "%s", err.text);
    return false;
}

static void *find_nccl(const osw_communicator *c, const char *symbol)
{
    return osw_gang_nccl(c->runner, symbol);
}

int osw_session_join(struct osw_session *s, const struct osw_join *join, int fd,
                     struct osw_error *err)
{
    struct osw_map map = {.bytes = osw_segment_bytes(join->size), .fd = fd};

    osw_sockets_name(fd);
    if (osw_device_cpu_ops.map_open(NULL, &map, err) < 0)
        return -1;
    s->gang.say = say_of_gang;
    s->gang.say_arg = s;
    if (s->device->ops->own_memory) {
        s->gang.copy = copy_of_gang;
        s->gang.device = s->device->uuid;
        if (s->device->ops->map_private(s->device, TOKEN, &s->token, err) < 0)
            return -1;
        s->gang.token = s->token.base;
    }
    osw_communicator_join(&s->gang, map.base, join->rank, join->size,
                          join->one_node);
    s->gang.face.nccl = find_nccl;
    return 0;
}

void osw_session_meet_gang(struct osw_session *s)
{
    struct osw_error err = OSW_ERROR_INIT;
    bool lost;

    if (s->has_messages) {
        (void)s->device->ops->sync(s->device, &lost, &err);
        (void)osw_barrier(&s->call);
    } else if (s->gang.nccl) {
        osw_gang_nccl_meet(&s->gang, s->call.stream);
    }
}

void osw_session_end_gang_call(struct osw_session *s)
{
    const char *why = s->gang.base ? osw_gang_nccl_failure(&s->gang) : NULL;

    if (!why || s->result.code != 0)
        return;
    osw_session_say(s, "%s", why);
    s->result.code = OSW_ERROR;
}

void osw_session_excuse(struct osw_session *s)
{
    if (s->gang.out_of_reach && s->result.code == OSW_ERROR)
        s->result.code = OSW_UNSUPPORTED;
}

static const osw_arg *args_of(const osw_communicator *c, int rank)
{
    const struct osw_session *s = c->runner;

    return rank >= 0 && rank < c->size
               ? s->job.args + (uint32_t)rank * s->call.n_args
               : NULL;
}

static void *communicator_of(struct osw_session *s)
{
    if (s->job.world == 0)
        return s->gang.base ? &s->gang.face : NULL;
    s->peers = (osw_communicator){.bytes = sizeof(s->peers),
                                  .rank = (int32_t)s->job.rank,
                                  .size = (int32_t)s->job.world,
                                  .one_node = 1,
                                  .runner = s,
                                  .peer_args = args_of};
    return &s->peers;
}

/* --- calls --- */

void osw_session_begin_call(struct osw_session *s)
{
    uint32_t n_args = s->job.n_args / (s->job.world ? s->job.world : 1);
    void *op_state = s->call.state;

    s->call = (osw_call){
        .size = sizeof(s->call),
        .abi_version = OSW_ABI_VERSION,
        .n_args = n_args,
        .n_threads = s->n_threads,
        .args = s->job.args + s->job.rank * n_args,
        .stream = s->device->ops->stream(s->device),
        .communicator = communicator_of(s),
        .state = op_state,
        .seed = s->job.seed,
        .runner = s,
        .output = give_output,
        .output_alias = give_alias,
        .output_exact = s->reference ? give_exact : NULL,
        .output_norm = s->reference ? give_norm : NULL,
        .workspace = osw_session_give_workspace,
        .error = keep_error,
    };
    s->cursor = s->job.spill;
    s->scratch_used = 0;
    s->has_workspace = false;
    s->guard_at = NULL;
    s->guard_bytes = 0;
    s->result.n_outputs = 0;
    s->result.device_code = 0;
    s->result.lost = s->result.no_memory = s->result.late = false;
    s->result.beside = false;
    s->result.guard = OSW_NO_OFFSET;
    s->result.guard_bytes = 0;
    s->result.high_water = s->job.spill;
    s->result.bytes = s->result.flops = NAN;
    s->text[0] = '\0';
}
