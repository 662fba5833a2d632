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
#include "worker/sandbox/session.h"

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

/* What is shared with the judge, and what the device needs beside it. */
static int open_window(struct osw_session *s, uint64_t bytes, int fd,
                       struct osw_error *err)
{
    const struct osw_device_ops *ops = s->device->ops;

    s->window = (struct osw_map){.bytes = bytes, .fd = fd};
    if (osw_device_cpu_ops.map_open(NULL, &s->window, err) < 0)
        return -1;
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
    s->device->ops->map_destroy(s->device, &s->arena);
    s->arena.bytes = offer.bytes;
    memcpy(s->arena.handle, offer.handle, sizeof(offer.handle));
    loaded.ok = offer.bytes == 0 ||
                s->device->ops->map_open(s->device, &s->arena, &err) == 0;
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

/* Outputs only: what lies between strided elements is the judge's to check. */
static void hash_outputs(struct osw_session *s, uint32_t slot)
{
    s->device->ops->hash_begin(s->device, slot);
    for (uint32_t i = 0; i < s->result.n_outputs; i++) {
        const struct osw_output *o = &s->result.outputs[i];

        s->device->ops->hash(s->device, s->base + o->offset,
                             (uint64_t)osw_output_extent(o), i);
    }
}

static void restore_inputs(void *arg)
{
    struct osw_session *s = arg;

    for (uint32_t i = 0; i < s->job.n_restores; i++)
        s->device->ops->copy(s->device, s->base + s->job.restores[i].to,
                             s->base + s->job.restores[i].from,
                             s->job.restores[i].bytes);
}

/* Keep what the device says, the first time that it says something. */
static void take_error(struct osw_session *s, int code,
                       const struct osw_error *err)
{
    if (code == 0 || s->result.device_code != 0)
        return;
    s->result.device_code = code;
    snprintf(s->text, sizeof(s->text), "%s", err->text);
}

/* Everything behind the call: the hash on the op's own stream, then the wait
 * for whatever else it started, then what the judge gets to see.
 */
static void finish_call(struct osw_session *s)
{
    const struct osw_device_ops *ops = s->device->ops;
    struct osw_error err = OSW_ERROR_INIT;
    bool lost;

    take_error(s, ops->error(s->device, &err), &err);
    if (s->result.code == 0)
        hash_outputs(s, 0);
    take_error(s, ops->sync(s->device, &lost, &err), &err);
    if (!lost) {
        s->result.hash = s->result.code == 0 ? ops->hash_sum(s->device, 0) : 0;
        osw_session_copy_out(s);
        take_error(s, ops->sync(s->device, &lost, &err), &err);
    }
    s->result.lost = lost;
}

static void ask_work(struct osw_session *s)
{
    osw_work work = {.size = sizeof(work)};

    if (s->host->work(s->host_state, &s->call, &work) != 0)
        return;
    s->result.bytes = work.bytes;
    s->result.flops = work.flops;
}

/* What it returned becomes outputs, where the runner did not give them. */
static int collect(struct osw_session *s)
{
    return s->host->collect ? s->host->collect(s->host_state, &s->call) : 0;
}

/* What comes before a call, of the op or of its prepare. */
static void begin_run(struct osw_session *s)
{
    s->poison_scratch = true;
    s->unhashed = false;
    osw_session_begin_call(s);
    osw_session_copy_in(s);
    s->result.hash = 0;
    s->result.call_ns = 0;
}

/* Behind begin_run; false when it failed. */
static bool prepare(struct osw_session *s)
{
    void *op_state = NULL;

    s->result.code = s->host->prepare(s->host_state, &s->call, &op_state);
    s->call.state = op_state;
    s->result.late = s->result.code != 0;
    return !s->result.late;
}

/* Behind begin_run. */
static void call_op(struct osw_session *s)
{
    s->result.code = s->host->run(s->host_state, &s->call);
    if (s->result.code == 0)
        s->result.code = collect(s);
}

static int64_t cpu_ns(void)
{
    struct timespec t = {0, 0};

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Other processes make a call of host code look longer than it is: it takes no
 * longer than its processor time, unless it waits for something.
 */
static void run_once(struct osw_session *s)
{
    int64_t t0, cpu;

    begin_run(s);
    cpu = cpu_ns();
    t0 = osw_clock_ns();
    call_op(s);
    finish_call(s);
    s->result.call_ns = osw_clock_ns() - t0;
    cpu = cpu_ns() - cpu;
    if (!s->device->ops->own_memory && cpu < s->result.call_ns)
        s->result.call_ns = cpu;
    if (s->result.code == 0)
        ask_work(s);
}

static void run_meta(struct osw_session *s)
{
    s->meta = true;
    osw_session_begin_call(s);
    s->result.call_ns = 0;
    s->result.hash = 0;
    s->result.code = s->host->meta(s->host_state, &s->call);
    if (s->result.code == 0)
        ask_work(s);
    s->meta = false;
}

static void draw(struct osw_session *s)
{
    osw_session_begin_call(s);
    s->result.call_ns = 0;
    s->result.hash = 0;
    s->result.code =
        s->host->draw ? s->host->draw(s->host_state, &s->call, &s->result.hash)
                      : OSW_UNSUPPORTED;
}

static void prepare_and_run(struct osw_session *s)
{
    begin_run(s);
    if (prepare(s))
        run_once(s);
}

static int reply_result(struct loop *l)
{
    struct osw_writer w = osw_writer(l->out, sizeof(l->out));

    fflush(NULL);
    l->s.result.text = l->s.text;
    l->s.result.has_state = l->s.call.state != NULL;
    osw_protocol_put_result(&w, &l->s.result);
    return reply(l, &w);
}

typedef int get_case_f(struct osw_reader *r, osw_arena_t *arena,
                       const struct osw_zone_memory zones[OSW_N_ZONES],
                       osw_device device, struct osw_case_received *m,
                       struct osw_error *err);

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
    if (begin_case(s, r, osw_protocol_get_case, s->window.bytes) < 0)
        return -1;
    if (s->job.mode == OSW_MODE_META)
        run_meta(s);
    else if (s->job.mode == OSW_MODE_DRAW)
        draw(s);
    else
        prepare_and_run(s);
    return reply_result(l);
}

static int on_call(struct loop *l, struct osw_reader *r)
{
    l->s.job.pattern = osw_read_u8(r);
    run_once(&l->s);
    return reply_result(l);
}

/* --- STEPS --- */

/* One call, and behind it on the stream its hash and the copy of what it made;
 * nothing is waited for.
 */
static void run_step(struct osw_session *s, uint32_t slot, bool again)
{
    struct osw_error err = OSW_ERROR_INIT;

    begin_run(s);
    if (!again && !prepare(s))
        return;
    call_op(s);
    take_error(s, s->device->ops->error(s->device, &err), &err);
    if (s->result.code != 0)
        return;
    hash_outputs(s, slot);
    ask_work(s);
    osw_session_copy_out(s);
}

/* The state of a case that calls still use may not be finished. */
static int next_case(struct osw_session *s, struct osw_reader *r,
                     const struct osw_step *step)
{
    struct osw_error err = OSW_ERROR_INIT;
    bool lost;

    if (s->call.state)
        (void)s->device->ops->sync(s->device, &lost, &err);
    end_case(s);
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
        run_step(s, i, step.again);
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

    if (n == 0 || n > OSW_PROTOCOL_MAX_STEPS)
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

/* What timed calls left, behind the last one. */
static void hash_behind(struct osw_session *s)
{
    struct osw_error err = OSW_ERROR_INIT;
    bool lost;

    hash_outputs(s, 0);
    (void)s->device->ops->sync(s->device, &lost, &err);
    s->result.hash = s->device->ops->hash_sum(s->device, 0);
}

/* Outputs may still change: show them as they are now. */
static int on_look(struct loop *l)
{
    struct osw_session *s = &l->s;
    struct osw_error err = OSW_ERROR_INIT;
    bool lost;

    s->guard_at = NULL;
    if (s->unhashed)
        hash_behind(s);
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

static int call_again(void *arg)
{
    struct osw_session *s = arg;

    s->cursor = s->job.spill;
    s->scratch_used = 0;
    s->result.n_outputs = 0;
    return s->host->run(s->host_state, &s->call);
}

static void take_samples(struct loop *l, const struct osw_time_request *ask)
{
    struct osw_session *s = &l->s;
    const struct osw_device_ops *ops = s->device->ops;
    struct osw_time_reply *out = &l->samples;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_timing timing = {
        .n_samples = ask->n_samples,
        .n_inner = ask->n_inner,
        .cold = ask->cold,
        .bare = ask->bare,
        .wall = ask->wall,
        .live = s->host->collect != NULL,
        .key = s->n_cases,
        .edits = ask->edits,
        .base = s->base,
        .before = restore_inputs,
        .call = call_again,
        .arg = s,
    };
    int code;

    out->lost = false;
    out->timer = (uint8_t)ops->time(s->device, &timing, out->samples, &code);
    out->code = code;
    out->n = out->timer == OSW_TIMER_NONE ? 0 : ask->n_samples;
    if (out->timer != OSW_TIMER_NONE && (out->code = collect(s)) == 0)
        return;
    s->result.device_code = 0;
    take_error(s, ops->sync(s->device, &out->lost, &err), &err);
    if (code == -1 && s->result.device_code == 0)
        out->code = OSW_ERROR;
}

static int on_time(struct loop *l, struct osw_reader *r)
{
    struct osw_writer w = osw_writer(l->out, sizeof(l->out));
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_session *s = &l->s;
    struct osw_time_request ask;
    struct osw_edits edits;
    uint32_t n_outputs = s->result.n_outputs;
    uint64_t cursor = s->cursor;

    if (osw_protocol_get_time(r, s->limit, &edits, &ask, &err) < 0 ||
        (ask.n_inner == 0 && s->device->ops->own_memory))
        return -1;
    s->poison_scratch = false;
    osw_session_begin_call(s);
    if (ask.refresh)
        osw_session_copy_in(s);
    take_samples(l, &ask);
    if (s->result.n_outputs == 0) { /* all calls came from a captured graph */
        s->result.n_outputs = n_outputs;
        s->cursor = cursor;
    }
    s->unhashed = !ask.refresh;
    if (ask.refresh)
        hash_behind(s);
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

int osw_sandbox_loop(int fd, const char *device)
{
    const struct osw_device_ops *ops = osw_device_find(device);
    struct osw_error err = OSW_ERROR_INIT;
    struct loop *l = calloc(1, sizeof(*l));
    unsigned char ready = OSW_TALK_READY;
    int passed, rc = 0;
    size_t n;

    if (!l)
        return 1;
    l->fd = fd;
    l->s.window.fd = l->s.mirror.fd = l->s.arena.fd = -1;
    l->s.memory = osw_arena_create();
    l->s.slots = calloc(OSW_PROTOCOL_MAX_OUTPUTS, sizeof(*l->s.slots));
    if (!ops || osw_device_open(ops, 0, &l->s.device, &err) < 0) {
        fprintf(stderr, "sandbox: %s\n",
                ops ? err.text : osw_device_missing(device));
        return 1;
    }
    if (!l->s.memory || !l->s.slots || send(fd, &ready, 1, MSG_NOSIGNAL) != 1)
        return 1;
    while (rc == 0 && (n = receive(l, &passed)) > 0)
        rc = handle(l, n, passed);
    /* No clean-up: the process ends, and op code may still hold on to it. */
    return rc ? 1 : 0;
}
