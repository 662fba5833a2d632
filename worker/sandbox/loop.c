/* worker/sandbox/loop.c - serve the judge's requests, one at a time */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "worker/hash.h"
#include "worker/sandbox/session.h"

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

    do
        n = recvmsg(l->fd, &m, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
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

static int load_file(struct loop *l, struct osw_reader *r, int fd,
                     struct osw_loaded *out, struct osw_error *err)
{
    const struct osw_device_ops *device;
    struct osw_session *s = &l->s;
    struct osw_load load;

    if (osw_protocol_get_load(r, &load, err) < 0)
        return -1;
    device = osw_device_find(load.device);
    s->host = osw_host_find(load.path);
    if (!device || !s->host)
        return osw_fail(err, OSW_BAD_INPUT, "no %s for '%s'",
                        device ? "host" : "device",
                        device ? load.path : load.device);
    if (device->open(0, &s->device, err) < 0)
        return -1;
    s->map = (struct osw_map){.bytes = load.arena_bytes, .fd = fd};
    if (device->map_open(s->device, &s->map, err) < 0)
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

/* --- CASE and CALL --- */

/* Outputs only: what lies between strided elements is the judge's to check. */
static uint64_t hash_outputs(const struct osw_session *s)
{
    uint64_t h = 0;

    for (uint32_t i = 0; i < s->result.n_outputs; i++) {
        const struct osw_output *o = &s->result.outputs[i];

        h = osw_hash_bytes((const unsigned char *)s->map.base + o->offset,
                           (size_t)osw_output_extent(o), h + i);
    }
    return h;
}

static void restore_inputs(struct osw_session *s)
{
    unsigned char *base = s->map.base;

    for (uint32_t i = 0; i < s->job.n_restores; i++)
        s->device->ops->copy(s->device, base + s->job.restores[i].to,
                             base + s->job.restores[i].from,
                             s->job.restores[i].bytes);
}

static void ask_work(struct osw_session *s)
{
    osw_work work = {.size = sizeof(work)};

    if (s->host->work(s->host_state, &s->call, &work) != 0)
        return;
    s->result.bytes = work.bytes;
    s->result.flops = work.flops;
}

static void run_once(struct osw_session *s)
{
    struct osw_error err = OSW_ERROR_INIT;

    s->poison_scratch = true;
    osw_session_begin_call(s);
    s->device->ops->time_begin(s->device);
    s->result.code = s->host->run(s->host_state, &s->call);
    s->result.hash = s->result.code ? 0 : hash_outputs(s);
    if (s->device->ops->sync(s->device, &err) < 0 && s->result.code == 0)
        s->result.code = OSW_ERROR;
    s->result.call_ns = s->device->ops->time_end(s->device);
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

static void prepare_and_run(struct osw_session *s)
{
    void *op_state = NULL;

    s->call.state = NULL;
    s->poison_scratch = true;
    osw_session_begin_call(s);
    s->result.code = s->host->prepare(s->host_state, &s->call, &op_state);
    s->call.state = op_state;
    if (s->result.code != 0) {
        s->result.late = true;
        return;
    }
    run_once(s);
}

static int reply_result(struct loop *l)
{
    struct osw_writer w = osw_writer(l->out, sizeof(l->out));

    fflush(NULL);
    l->s.result.text = l->s.text;
    osw_protocol_put_result(&w, &l->s.result);
    return reply(l, &w);
}

static int on_case(struct loop *l, struct osw_reader *r)
{
    struct osw_session *s = &l->s;
    struct osw_error err = OSW_ERROR_INIT;
    osw_device device = {s->device->ops->dl_type, s->device->index};

    if (s->call.state)
        s->host->finish(s->host_state, s->call.state);
    s->call.state = NULL;
    osw_arena_reset(s->memory);
    if (osw_protocol_get_case(r, s->memory, s->map.base, s->map.bytes, device,
                              &s->job, &err) < 0) {
        fprintf(stderr, "sandbox: %s\n", err.text);
        return -1;
    }
    if (s->job.mode == OSW_MODE_META)
        run_meta(s);
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

/* --- TIME --- */

/* One sample: ns per call.  In-place arguments are put back outside of it. */
static int take_sample(struct osw_session *s,
                       const struct osw_time_request *ask, float *ns)
{
    struct osw_error err = OSW_ERROR_INIT;
    int code = 0;
    int64_t t;

    restore_inputs(s);
    if (ask->cold && s->device->ops->scrub(s->device, &err) < 0)
        return OSW_ERROR;
    s->device->ops->time_begin(s->device);
    for (uint32_t i = 0; i < ask->n_inner && code == 0; i++) {
        s->cursor = s->job.spill;
        s->result.n_outputs = 0;
        code = s->host->run(s->host_state, &s->call);
    }
    t = s->device->ops->time_end(s->device);
    *ns = (float)((double)t / ask->n_inner);
    return code;
}

static int on_time(struct loop *l, struct osw_reader *r)
{
    struct osw_writer w = osw_writer(l->out, sizeof(l->out));
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_session *s = &l->s;
    struct osw_time_request ask;

    if (osw_protocol_get_time(r, &ask, &err) < 0)
        return -1;
    s->poison_scratch = false;
    osw_session_begin_call(s);
    l->samples.code = 0;
    l->samples.n = 0;
    while (l->samples.n < ask.n_samples && l->samples.code == 0) {
        l->samples.code =
            take_sample(s, &ask, &l->samples.samples[l->samples.n]);
        l->samples.n += l->samples.code == 0;
    }
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
    if (!l->s.host_state)
        return -1;
    switch (kind) {
    case OSW_TALK_CASE:
        return on_case(l, &r);
    case OSW_TALK_CALL:
        return on_call(l, &r);
    case OSW_TALK_TIME:
        return on_time(l, &r);
    default:
        return -1;
    }
}

int osw_sandbox_loop(int fd)
{
    struct loop *l = calloc(1, sizeof(*l));
    unsigned char ready = OSW_TALK_READY;
    int passed, rc = 0;
    size_t n;

    if (!l)
        return 1;
    l->fd = fd;
    l->s.map.fd = -1;
    l->s.memory = osw_arena_create();
    l->s.slots = calloc(OSW_PROTOCOL_MAX_OUTPUTS, sizeof(*l->s.slots));
    if (!l->s.memory || !l->s.slots || send(fd, &ready, 1, MSG_NOSIGNAL) != 1)
        return 1;
    while (rc == 0 && (n = receive(l, &passed)) > 0)
        rc = handle(l, n, passed);
    /* No clean-up: the process ends, and op code may still hold on to it. */
    return rc ? 1 : 0;
}
