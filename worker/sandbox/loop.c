/* worker/sandbox/loop.c - serve the judge's requests, one at a time */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "worker/sandbox/calls.h"
#include "worker/sandbox/heap.h"
#include "worker/stamps.h"

_Static_assert(OSW_PROTOCOL_MAX_STEPS <= (int)OSW_HASH_SLOTS,
               "a slot for each step");

struct loop {
    int fd;
    struct osw_session s;
    struct osw_time_reply samples;
    unsigned char in[OSW_PROTOCOL_MAX_BYTES];
    unsigned char out[OSW_PROTOCOL_MAX_BYTES];
};

/* --- the socket --- */

/* One message, and the descriptor that came with it (-1: none).  Returns its
 * size, 0 when the judge is gone.
 */
static size_t receive(struct loop *l, int *passed_fd)
{
    struct iovec part = {l->in, sizeof(l->in)};
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct msghdr m = {.msg_iov = &part,
                       .msg_iovlen = 1,
                       .msg_control = &control,
                       .msg_controllen = sizeof(control)};
    const struct cmsghdr *c;
    ssize_t n;

    if (l->s.host_state && l->s.host->rest)
        l->s.host->rest(l->s.host_state, true);
    do
        n = recvmsg(l->fd, &m, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    if (l->s.host_state && l->s.host->rest)
        l->s.host->rest(l->s.host_state, false);
    *passed_fd = -1;
    if (n <= 0)
        return 0;
    c = CMSG_FIRSTHDR(&m);
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
        memcpy(passed_fd, CMSG_DATA(c), sizeof(int));
    return (size_t)n;
}

static int reply(struct loop *l, const struct osw_writer *w)
{
    ssize_t n;

    do
        n = send(l->fd, w->data, w->used, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)w->used && !w->overrun ? 0 : -1;
}

/* --- LOAD --- */

static void find_stamps(struct osw_session *s)
{
    s->stamps = (void *)((unsigned char *)s->window.base +
                         osw_stamps_at(s->window.bytes));
}

/* What is shared with the judge, and what the device needs beside it. */
static int open_window(struct osw_session *s, uint64_t bytes, int fd,
                       struct osw_error *err)
{
    const struct osw_device_ops *ops = s->device->ops;

    s->window = (struct osw_map){.bytes = osw_stamps_end(bytes), .fd = fd};
    if (osw_device_cpu_ops.map_open(NULL, &s->window, err) < 0)
        return -1;
    s->window.bytes = bytes;
    find_stamps(s);
    if (!ops->own_memory)
        return 0;
    if (ops->pin(s->device, s->window.base, bytes, err) < 0)
        return -1;
    return ops->map_private(s->device, bytes + OSW_MIRROR_SPILL + OSW_MAX_SHIFT,
                            &s->mirror, err);
}

static int load_file(struct loop *l, struct osw_reader *r, int fd,
                     struct osw_loaded *out, struct osw_error *err)
{
    struct osw_session *s = &l->s;
    struct osw_load load;

    if (osw_protocol_get_load(r, &load, err) < 0)
        return -1;
    s->host = osw_host_find(load.path);
    if (!s->host)
        return osw_fail(err, OSW_BAD_INPUT, "no host for '%s'", load.path);
    if (strcmp(load.device, s->device->ops->kind) != 0)
        return osw_fail(err, OSW_PROTOCOL, "no device '%s'", load.device);
    if (open_window(s, load.window_bytes, fd, err) < 0)
        return -1;
    s->reference = load.reference;
    s->n_threads = load.n_threads;
    return s->host->load(&load, out, &s->host_state, err);
}

static int on_load(struct loop *l, struct osw_reader *r, int fd)
{
    struct osw_writer w = osw_writer(l->out, sizeof(l->out));
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_loaded loaded = {.text = ""};

    loaded.ok = load_file(l, r, fd, &loaded, &err) == 0;
    loaded.text = err.text;
    osw_protocol_put_loaded(&w, &loaded);
    return reply(l, &w);
}

/* The last case is over. */
static void end_case(struct osw_session *s)
{
    if (s->call.state)
        s->host->finish(s->host_state, s->call.state);
    s->call.state = NULL;
    osw_arena_reset(s->memory);
}

/* The same file, for another symbol. */
static int on_load_again(struct loop *l, struct osw_reader *r)
{
    struct osw_writer w = osw_writer(l->out, sizeof(l->out));
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_loaded loaded = {.text = ""};
    struct osw_session *s = &l->s;
    struct osw_load load;
    void *state = NULL;

    if (!s->host->unload || osw_protocol_get_load(r, &load, &err) < 0)
        return -1;
    end_case(s);
    loaded.ok = s->host->load(&load, &loaded, &state, &err) == 0;
    loaded.text = err.text;
    if (loaded.ok) {
        s->host->unload(s->host_state);
        s->host_state = state;
    }
    osw_protocol_put_loaded(&w, &loaded);
    return reply(l, &w);
}

/* The old arena is closed before the new one comes. */
static int on_arena(struct loop *l, struct osw_reader *r)
{
    struct osw_writer w = osw_writer(l->out, sizeof(l->out));
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_loaded loaded = {.text = ""};
    struct osw_arena_offer offer;
    struct osw_session *s = &l->s;

    if (osw_protocol_get_arena(r, &offer, &err) < 0)
        return -1;
    osw_zone_move_end(&s->moves[OSW_ZONE_ARENA], s->arena.bytes);
    s->device->ops->map_destroy(s->device, &s->arena);
    s->arena.bytes = offer.bytes;
    memcpy(s->arena.handle, offer.handle, sizeof(offer.handle));
    loaded.ok = offer.bytes == 0 ||
                s->device->ops->map_open(s->device, &s->arena, &err) == 0;
    loaded.text = err.text;
    osw_protocol_put_loaded(&w, &loaded);
    return reply(l, &w);
}

/* A sandbox is of one gang, until it ends. */
static int on_join(struct loop *l, struct osw_reader *r, int fd)
{
    struct osw_writer w = osw_writer(l->out, sizeof(l->out));
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_loaded loaded = {.text = ""};
    struct osw_join join;

    if (fd < 0 || l->s.gang.base || osw_protocol_get_join(r, &join, &err) < 0)
        return -1;
    loaded.ok = osw_session_join(&l->s, &join, fd, &err) == 0;
    loaded.text = err.text;
    osw_protocol_put_loaded(&w, &loaded);
    return reply(l, &w);
}

/* What the file prepared is finished first: it belongs to the old code. */
static int on_reload(struct loop *l)
{
    struct osw_writer w = osw_writer(l->out, sizeof(l->out));
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_loaded loaded = {.text = ""};
    struct osw_session *s = &l->s;

    if (s->call.state)
        s->host->finish(s->host_state, s->call.state);
    s->call.state = NULL;
    loaded.ok = s->host->reload(&s->host_state, &err) == 0;
    loaded.text = err.text;
    osw_protocol_put_loaded(&w, &loaded);
    return reply(l, &w);
}

/* --- CASE and CALL --- */

static int reply_result(struct loop *l)
{
    struct osw_writer w = osw_writer(l->out, sizeof(l->out));

    fflush(NULL);
    osw_session_excuse(&l->s);
    l->s.result.text = l->s.text;
    l->s.result.has_state = l->s.call.state != NULL;
    osw_protocol_put_result(&w, &l->s.result);
    return reply(l, &w);
}

typedef int get_case_f(struct osw_reader *r, osw_arena_t *arena,
                       const struct osw_zone_memory zones[OSW_N_ZONES],
                       osw_device device, struct osw_case_received *m,
                       struct osw_error *err);

/* If the case that comes is to lie elsewhere, move its zone. */
static void move_zone(struct osw_session *s, struct osw_reader ahead)
{
    int zone = osw_protocol_moved_zone(ahead);
    uint64_t window = osw_stamps_end(s->window.bytes);

    if (s->device->ops->own_memory)
        return;
    if (zone == OSW_ZONE_WINDOW)
        osw_zone_move(&s->moves[zone], &s->window.base, window);
    else if (zone == OSW_ZONE_ARENA && s->arena.base)
        osw_zone_move(&s->moves[zone], &s->arena.base, s->arena.bytes);
    find_stamps(s);
}

/* Have its arguments lie in their zone, of which the window's has `bytes`. */
static int begin_case(struct osw_session *s, struct osw_reader *r,
                      get_case_f *get, uint64_t bytes)
{
    struct osw_error err = OSW_ERROR_INIT;
    osw_device device = {s->device->ops->dl_type, s->device->index};
    bool mirrored = s->device->ops->own_memory;
    const struct osw_zone_memory zones[OSW_N_ZONES] = {
        {mirrored ? s->mirror.base : s->window.base, bytes,
         mirrored ? OSW_MAX_SHIFT : 0},
        {s->arena.base, s->arena.base ? s->arena.bytes - OSW_MAX_SHIFT : 0,
         OSW_MAX_SHIFT}};

    if (get(r, s->memory, zones, device, &s->job, &err) < 0) {
        fprintf(stderr, "sandbox: %s\n", err.text);
        return -1;
    }
    osw_session_enter_zone(s);
    s->n_cases++;
    return 0;
}

static int on_case(struct loop *l, struct osw_reader *r)
{
    struct osw_session *s = &l->s;

    end_case(s);
    move_zone(s, *r);
    if (begin_case(s, r, osw_protocol_get_case, s->window.bytes) < 0)
        return -1;
    if (s->job.mode == OSW_MODE_META)
        osw_calls_meta(s);
    else if (s->job.mode == OSW_MODE_DRAW)
        osw_calls_draw(s);
    else
        osw_calls_first(s);
    return reply_result(l);
}

static int on_call(struct loop *l, struct osw_reader *r)
{
    l->s.job.pattern = osw_read_u8(r);
    osw_calls_again(&l->s);
    return reply_result(l);
}

/* --- STEPS --- */

/* The state of a case that calls still use may not be finished. */
static int next_case(struct osw_session *s, struct osw_reader *r,
                     const struct osw_step *step)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_reader ahead = *r;
    bool lost;

    if (s->call.state)
        (void)s->device->ops->sync(s->device, &lost, &err);
    end_case(s);
    if (osw_protocol_kind(&ahead) == OSW_TALK_CASE)
        move_zone(s, ahead);
    return begin_case(s, r, osw_protocol_get_case_part, step->bytes) < 0 ||
                   s->job.mode != OSW_MODE_RUN || s->job.zone != OSW_ZONE_WINDOW
               ? -1
               : 0;
}

static int take_steps(struct osw_session *s, struct osw_reader *r, uint32_t n,
                      struct osw_writer *w)
{
    for (uint32_t i = 0; i < n; i++) {
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_step step;

        if (osw_protocol_get_step(r, s->window.bytes, &step, &err) < 0 ||
            (step.again && i == 0) ||
            (!step.again && next_case(s, r, &step) < 0) ||
            s->job.spill > step.bytes)
            return -1;
        osw_session_enter_slice(s, &step);
        s->job.pattern = step.pattern;
        osw_calls_step(s, i, step.again);
        s->result.text = s->text;
        osw_protocol_put_result(w, &s->result);
    }
    return osw_reader_done(r) ? 0 : -1;
}

static int on_steps(struct loop *l, struct osw_reader *r)
{
    struct osw_writer w = osw_writer(l->out, sizeof(l->out));
    struct osw_session *s = &l->s;
    struct osw_error err = OSW_ERROR_INIT;
    uint64_t hashes[OSW_PROTOCOL_MAX_STEPS];
    uint32_t n = osw_read_u32(r);
    void *to;
    bool lost;

    if (n > OSW_PROTOCOL_MAX_STEPS)
        return -1;
    osw_write_u8(&w, OSW_TALK_RESULTS);
    osw_write_u32(&w, n);
    to = osw_write_raw(&w, n * sizeof(hashes[0]));
    if (take_steps(s, r, n, &w) < 0)
        return -1;
    if (s->device->ops->sync(s->device, &lost, &err) != 0) {
        w = osw_writer(l->out, sizeof(l->out));
        osw_write_u8(&w, OSW_TALK_RESULTS);
        osw_write_u32(&w, 0);
    } else {
        for (uint32_t i = 0; i < n; i++)
            hashes[i] = s->device->ops->hash_sum(s->device, i);
        memcpy(to, hashes, n * sizeof(hashes[0]));
    }
    fflush(NULL);
    return reply(l, &w);
}

/* Outputs may still change: show them as they are now. */
static int on_look(struct loop *l)
{
    struct osw_session *s = &l->s;
    struct osw_error err = OSW_ERROR_INIT;
    bool lost;

    s->guard_at = NULL;
    if (s->unhashed)
        osw_calls_hash(s);
    s->unhashed = false;
    osw_session_copy_out(s);
    (void)s->device->ops->sync(s->device, &lost, &err);
    return reply_result(l);
}

/* --- EXPAND --- */

static int on_expand(struct loop *l, struct osw_reader *r)
{
    struct osw_writer w = osw_writer(l->out, sizeof(l->out));
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_expanded m = {.ok = false};
    struct osw_session *s = &l->s;
    uint64_t seed = osw_read_u64(r);

    if (!s->host->expand)
        return -1;
    m.ok = s->host->expand(s->host_state, seed, s->window.base, s->window.bytes,
                           &m.bytes, &err) == 0;
    m.text = err.text;
    osw_protocol_put_expanded(&w, &m);
    return reply(l, &w);
}

/* --- TIME --- */

static int on_time(struct loop *l, struct osw_reader *r)
{
    struct osw_writer w = osw_writer(l->out, sizeof(l->out));
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_session *s = &l->s;
    struct osw_time_request ask;
    struct osw_edits edits;

    if (osw_protocol_get_time(r, s->limit, &edits, &ask, &err) < 0)
        return -1;
    osw_calls_time(s, &ask, &l->samples);
    fflush(NULL);
    l->samples.text = s->text;
    osw_protocol_put_samples(&w, &l->samples);
    return reply(l, &w);
}

static int handle(struct loop *l, size_t n, int fd)
{
    struct osw_reader r = osw_reader(l->in, n);
    uint8_t kind = osw_protocol_kind(&r);

    if (kind == OSW_TALK_LOAD && !l->s.host)
        return on_load(l, &r, fd);
    if (kind == OSW_TALK_JOIN)
        return on_join(l, &r, fd);
    if (fd >= 0)
        close(fd);
    if (kind == OSW_TALK_ARENA)
        return on_arena(l, &r);
    if (!l->s.host_state)
        return -1;
    switch (kind) {
    case OSW_TALK_LOAD:
        return on_load_again(l, &r);
    case OSW_TALK_CASE:
        return on_case(l, &r);
    case OSW_TALK_CALL:
        return on_call(l, &r);
    case OSW_TALK_TIME:
        return on_time(l, &r);
    case OSW_TALK_LOOK:
        return on_look(l);
    case OSW_TALK_EXPAND:
        return on_expand(l, &r);
    case OSW_TALK_RELOAD:
        return on_reload(l);
    case OSW_TALK_STEPS:
        return on_steps(l, &r);
    default:
        return -1;
    }
}

int osw_sandbox_loop(int fd, const char *device, osw_session_open_f open)
{
    const struct osw_device_ops *ops = osw_device_find(device);
    struct osw_error err = OSW_ERROR_INIT;
    struct loop *l = calloc(1, sizeof(*l));
    unsigned char ready = OSW_TALK_READY;
    int passed, rc = 0;
    size_t n;

    osw_heap_use();
    if (!l)
        return 1;
    l->fd = fd;
    l->s.window.fd = l->s.mirror.fd = l->s.arena.fd = -1;
    l->s.memory = osw_arena_create();
    l->s.handed_out =
        calloc(OSW_PROTOCOL_MAX_OUTPUTS, sizeof(*l->s.handed_out));
    if (!ops || open(ops, &l->s.device, &err) < 0) {
        fprintf(stderr, "sandbox: %s\n",
                ops ? err.text : osw_device_missing(device));
        return 1;
    }
    if (!l->s.memory || !l->s.handed_out ||
        send(fd, &ready, 1, MSG_NOSIGNAL) != 1)
        return 1;
    while (rc == 0 && (n = receive(l, &passed)) > 0)
        rc = handle(l, n, passed);
    /* No clean-up: the process ends, and op code may still hold on to it. */
    return rc ? 1 : 0;
}
