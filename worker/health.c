/* worker/health.c - does a device work correctly? */
#include "worker/health.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/deadline.h"
#include "common/paths.h"
#include "worker/hash.h"
#include "worker/judge/memory/judge_ops.h"
#include "worker/judge/process/sandbox.h"

#define MIB (UINT64_C(1) << 20)

enum {
    CHUNK = 16 << 20,          /* bytes that are filled at a time */
    SAMPLE = OSW_CANARY_BYTES, /* bytes of which the hash is known */
    SHARED = 8 << 20,          /* bytes that two processes see */
    WAIT_MS = 60000, /* for the other process, which opens the device */
    N_COPIES = 4,
    OURS = 0x5a, /* what each of two processes writes */
    THEIRS = 0xc3,
};

static const uint64_t most_copied = UINT64_C(1) << 30;
static const uint64_t least_memory = 4 * MIB;

/* Hash of SAMPLE bytes of fill_chunk(), number 7. */
static const uint64_t known_answer = UINT64_C(0x1b95385088c61adf);

const char osw_health_memory_cure[] =
    "take it out of service: results on it mean nothing";
const char osw_health_share_cure[] =
    "in a container, give it --ipc=host and --pid=host";
const char osw_health_sandbox_cure[] =
    "see the limits; else install the program again: it must be allowed to "
    "run there";

/* What all steps work on. */
struct checked {
    const struct osw_device_ops *ops;
    struct osw_device *dev;
    const struct osw_judge_ops *judge;
    struct osw_health *out;
    bool quick;
};

static void found(struct osw_health_part *part, bool good, const char *fmt, ...)
    OSW_PRINTF(3, 4);

/* Only the first fault is reported. */
static void found(struct osw_health_part *part, bool good, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(part->text, sizeof(part->text), fmt, ap);
    va_end(ap);
    part->good = good;
}

/* --- memory --- */

/* Everything enqueued so far is done and went well. */
static bool settled(struct checked *p, struct osw_health_part *part)
{
    struct osw_error err = OSW_ERROR_INIT;

    if (p->judge->sync(p->dev, &err) == 0)
        return true;
    found(part, false, "%s", err.text);
    return false;
}

static bool keeps_pattern(struct checked *p, void *base, uint64_t bytes,
                          unsigned char pattern)
{
    struct osw_health_part *part = &p->out->memory;
    int64_t at;

    p->judge->set(p->dev, base, pattern, bytes);
    if (!settled(p, part))
        return false;
    at = p->judge->check(p->dev, base, bytes, pattern);
    if (!settled(p, part))
        return false;
    if (at >= 0)
        found(part, false, "byte %lld of %llu does not keep the pattern 0x%02x",
              (long long)at, (unsigned long long)bytes, pattern);
    return at < 0;
}

/* `bytes` of random integers that depend only on `number`. */
static void fill_chunk(const struct osw_judge_ops *judge,
                       struct osw_device *dev, void *base, uint64_t bytes,
                       uint32_t number)
{
    static const struct osw_fill fill = {OSW_FILL_INT, 0, 0x7fffffff};
    int64_t shape[1] = {(int64_t)(bytes / sizeof(int32_t))}, strides[1] = {1};
    const struct osw_tensor_desc desc = {
        .dtype = OSW_I32, .ndim = 1, .shape = shape, .strides = strides};
    const struct osw_view view = {base, &desc};

    judge->fill(dev, &view, &fill, 1, 0, number);
}

/* Fill every chunk with its own bytes, then compare each with the same bytes,
 * generated once more in the last chunk.  This finds two addresses that reach
 * the same memory cells; a uniform pattern would not.
 */
static bool keeps_addresses(struct checked *p, unsigned char *base,
                            uint64_t bytes)
{
    struct osw_health_part *part = &p->out->memory;
    uint32_t n = (uint32_t)(bytes / CHUNK);
    unsigned char *again = base + (uint64_t)(n - 1) * CHUNK;

    for (uint32_t k = 0; k + 1 < n; k++)
        fill_chunk(p->judge, p->dev, base + (uint64_t)k * CHUNK, CHUNK, k);
    if (!settled(p, part))
        return false;
    for (uint32_t k = 0; k + 1 < n; k++) {
        int64_t at;

        fill_chunk(p->judge, p->dev, again, CHUNK, k);
        at =
            p->judge->differs(p->dev, base + (uint64_t)k * CHUNK, again, CHUNK);
        if (at < 0)
            continue;
        if (settled(p, part))
            found(part, false, "byte %llu of %llu does not keep its value",
                  (unsigned long long)k * CHUNK + (unsigned long long)at,
                  (unsigned long long)bytes);
        return false;
    }
    return settled(p, part);
}

/* The device computes what every sound one does, and brings it over. */
static bool gives_known_answer(struct checked *p, void *base)
{
    struct osw_health_part *part = &p->out->memory;
    unsigned char *mine = malloc(SAMPLE);
    uint64_t here, there;

    if (!mine) {
        found(part, false, "no memory of the host to compare with");
        return false;
    }
    fill_chunk(p->judge, p->dev, base, SAMPLE, 7);
    there = p->judge->hash(p->dev, base, SAMPLE, 0);
    p->judge->copy(p->dev, mine, base, SAMPLE);
    if (!settled(p, part)) {
        free(mine);
        return false;
    }
    here = osw_hash_bytes(mine, SAMPLE, 0);
    free(mine);
    if (here != known_answer || there != known_answer)
        found(part, false,
              "it computes %016llx (%016llx once copied), known to be %016llx",
              (unsigned long long)there, (unsigned long long)here,
              (unsigned long long)known_answer);
    return here == known_answer && there == known_answer;
}

static void time_copies(struct checked *p, unsigned char *base, uint64_t bytes)
{
    uint64_t half = bytes / 2 < most_copied ? bytes / 2 : most_copied;
    int64_t t0;

    p->judge->copy(p->dev, base + half, base, half);
    if (!settled(p, &p->out->memory))
        return;
    t0 = osw_clock_ns();
    for (int i = 0; i < N_COPIES; i++)
        p->judge->copy(p->dev, base + half, base, half);
    if (settled(p, &p->out->memory))
        p->out->copy_bytes_per_s = 2.0 * N_COPIES * (double)half /
                                   ((double)(osw_clock_ns() - t0) / 1e9);
}

static bool test_memory(struct checked *p, unsigned char *base, uint64_t bytes)
{
    static const unsigned char patterns[] = {0x55, 0xaa, 0x00, 0xff};
    size_t n = p->quick ? 2 : sizeof(patterns);

    for (size_t i = 0; i < n; i++)
        if (!keeps_pattern(p, base, bytes, patterns[i]))
            return false;
    if (!gives_known_answer(p, base))
        return false;
    return p->quick || bytes < 2 * (uint64_t)CHUNK ||
           keeps_addresses(p, base, bytes);
}

/* As much of the budget as the device gives. */
static int get_memory(struct checked *p, uint64_t budget, struct osw_map *map,
                      struct osw_error *err)
{
    for (uint64_t bytes = budget; bytes >= least_memory; bytes -= bytes / 8) {
        struct osw_error why = OSW_ERROR_INIT;

        bytes = bytes / MIB * MIB;
        if (p->ops->map_private(p->dev, bytes, map, &why) == 0)
            return 0;
        if (bytes - bytes / 8 < least_memory)
            return osw_fail(err, why.status, "%s", why.text);
    }
    return osw_fail(err, OSW_BAD_INPUT, "no budget for a test of memory");
}

static void check_memory(struct checked *p, uint64_t budget)
{
    struct osw_health_part *part = &p->out->memory;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_map map = {.fd = -1};

    if (get_memory(p, budget, &map, &err) < 0) {
        found(part, false, "%s", err.text);
        return;
    }
    p->out->tested_bytes = map.bytes;
    if (test_memory(p, map.base, map.bytes)) {
        found(part, true, "%llu MiB keep what they are given",
              (unsigned long long)(map.bytes / MIB));
        time_copies(p, map.base, map.bytes);
    }
    p->ops->map_destroy(p->dev, &map);
}

/* --- another process --- */

/* What it is told, with a descriptor beside where there is one; what it says
 * when it has looked at the memory and written to it.
 */
struct offer {
    uint64_t bytes;
    unsigned char handle[sizeof(((struct osw_map *)0)->handle)];
};

struct answer {
    bool good;
    char text[200];
};

union descriptor {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(sizeof(int))];
};

static bool send_offer(int sock, const struct osw_map *map)
{
    struct offer offer = {.bytes = map->bytes};
    struct iovec part = {&offer, sizeof(offer)};
    struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};
    union descriptor control;

    memcpy(offer.handle, map->handle, sizeof(offer.handle));
    if (map->fd >= 0) {
        struct cmsghdr *c;

        memset(&control, 0, sizeof(control));
        m.msg_control = &control;
        m.msg_controllen = sizeof(control);
        c = CMSG_FIRSTHDR(&m);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(c), &map->fd, sizeof(int));
    }
    return sendmsg(sock, &m, MSG_NOSIGNAL) == (ssize_t)sizeof(offer);
}

static bool receive_offer(int sock, struct osw_map *map)
{
    struct offer offer;
    struct iovec part = {&offer, sizeof(offer)};
    union descriptor control;
    struct msghdr m = {.msg_iov = &part,
                       .msg_iovlen = 1,
                       .msg_control = &control,
                       .msg_controllen = sizeof(control)};
    const struct cmsghdr *c;

    if (recvmsg(sock, &m, MSG_CMSG_CLOEXEC) != (ssize_t)sizeof(offer))
        return false;
    *map = (struct osw_map){.bytes = offer.bytes, .fd = -1};
    memcpy(map->handle, offer.handle, sizeof(map->handle));
    c = CMSG_FIRSTHDR(&m);
    if (c && c->cmsg_type == SCM_RIGHTS)
        memcpy(&map->fd, CMSG_DATA(c), sizeof(int));
    return true;
}

/* In the other process: what we wrote is there; write something else. */
static void look_and_write(const struct osw_device_ops *ops, int index,
                           struct osw_map *map, struct answer *answer)
{
    const struct osw_judge_ops *judge = osw_judge_ops_find(ops->kind);
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_device *dev = NULL;
    int64_t at;

    if (!judge || osw_device_open(ops, index, &dev, &err) < 0 ||
        ops->map_open(dev, map, &err) < 0) {
        snprintf(answer->text, sizeof(answer->text), "%.180s", err.text);
        return;
    }
    at = judge->check(dev, map->base, map->bytes, OURS);
    judge->set(dev, map->base, THEIRS, map->bytes);
    if (judge->sync(dev, &err) < 0)
        snprintf(answer->text, sizeof(answer->text), "%.180s", err.text);
    else if (at >= 0)
        snprintf(answer->text, sizeof(answer->text),
                 "byte %lld is not what was written", (long long)at);
    else
        answer->good = true;
}

/* A process like a sandbox, made before this one has touched a device.
 * Returns our end of a socket to it, or -1.
 */
static int start_other(const struct osw_device_ops *ops, int index, pid_t *pid,
                       struct osw_error *err)
{
    int sock[2];
    pid_t parent = getpid();

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sock) < 0)
        return osw_fail_sys(err, errno, "cannot make a socket");
    *pid = fork();
    if (*pid == 0) {
        struct answer answer = {.good = false};
        struct osw_map map;

        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(sock[0]);
        if (getppid() == parent && receive_offer(sock[1], &map)) {
            look_and_write(ops, index, &map, &answer);
            (void)send(sock[1], &answer, sizeof(answer), MSG_NOSIGNAL);
        }
        _exit(0);
    }
    close(sock[1]);
    if (*pid > 0)
        return sock[0];
    close(sock[0]);
    return osw_fail_sys(err, errno, "cannot fork");
}

static void end_other(int sock, pid_t pid)
{
    close(sock);
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
}

static bool receive(int sock, struct answer *answer)
{
    struct osw_deadline d =
        osw_deadline_in(WAIT_MS * INT64_C(1000000), osw_clock_ns());

    return osw_deadline_wait(&d, sock) &&
           recv(sock, answer, sizeof(*answer), 0) == (ssize_t)sizeof(*answer);
}

static void share_map(struct checked *p, struct osw_map *map, int sock)
{
    struct osw_health_part *part = &p->out->share;
    struct answer answer = {.good = false};
    int64_t t0 = osw_clock_ns(), at;

    p->judge->set(p->dev, map->base, OURS, map->bytes);
    if (!settled(p, part))
        return;
    if (!send_offer(sock, map) || !receive(sock, &answer)) {
        found(part, false, "another process does not answer");
        return;
    }
    if (!answer.good) {
        found(part, false, "in another process: %s", answer.text);
        return;
    }
    at = p->judge->check(p->dev, map->base, map->bytes, THEIRS);
    if (!settled(p, part))
        return;
    if (at >= 0)
        found(part, false, "byte %lld is not what another process wrote",
              (long long)at);
    else
        found(part, true, "seen and written by another process in %.2f s",
              (double)(osw_clock_ns() - t0) / 1e9);
}

static void check_share(struct checked *p, int sock)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_map map = {.fd = -1};

    if (p->ops->map_create(p->dev, SHARED, &map, &err) < 0) {
        found(&p->out->share, false, "%s", err.text);
        return;
    }
    share_map(p, &map, sock);
    p->ops->map_destroy(p->dev, &map);
}

/* --- the sandbox program --- */

static void check_sandbox(struct checked *p)
{
    struct osw_health_part *part = &p->out->sandbox;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_sandbox_env env = {.device = p->dev,
                                  .sandbox_path = osw_paths_sandbox(&err),
                                  .n_threads = 1};
    int64_t t0 = osw_clock_ns();
    struct osw_sandbox *sandbox;

    sandbox = env.sandbox_path ? osw_sandbox_start(&env, &err) : NULL;
    if (!sandbox)
        found(part, false, "%s", err.text);
    else if (osw_sandbox_await(sandbox, WAIT_MS * INT64_C(1000000)) < 0)
        found(part, false, "%s", sandbox->end.text);
    else
        found(part, true, "ready in %.2f s",
              (double)(osw_clock_ns() - t0) / 1e9);
    osw_sandbox_destroy(sandbox);
}

/* --- all of it --- */

static uint64_t sensible_budget(const struct osw_device_ops *ops, bool quick)
{
    bool host = strcmp(ops->kind, osw_device_cpu_ops.kind) == 0;

    return (host ? 64 : 1024) * MIB * (quick ? 1 : 4);
}

int osw_health_check(const struct osw_device_ops *ops, int index,
                     uint64_t budget, bool quick, struct osw_health *out,
                     struct osw_error *err)
{
    struct osw_health health = {.name = ""};
    struct checked p = {.ops = ops, .out = &health, .quick = quick};
    int sock, rc = -1;
    pid_t other = 0;
    int64_t t0;

    p.judge = osw_judge_ops_find(ops->kind);
    if (!p.judge)
        return osw_fail(err, OSW_BAD_INPUT, "no judge for devices of kind '%s'",
                        ops->kind);
    sock = start_other(ops, index, &other, err);
    if (sock < 0)
        return -1;
    /* After the fork: a process forked after a device query cannot use CUDA. */
    if (ops->count(&out->n_devices, err) < 0)
        goto out;
    health.n_devices = out->n_devices;
    if ((size_t)index >= health.n_devices) {
        osw_fail(err, OSW_DEVICE, "%zu devices of kind '%s' can be used",
                 health.n_devices, ops->kind);
        goto out;
    }
    t0 = osw_clock_ns();
    if (osw_device_open(ops, index, &p.dev, err) < 0)
        goto out;
    health.open_ns = osw_clock_ns() - t0;
    snprintf(health.name, sizeof(health.name), "%s", p.dev->name);
    check_memory(&p, budget ? budget : sensible_budget(ops, quick));
    check_share(&p, sock);
    check_sandbox(&p);
    ops->close(p.dev);
    *out = health;
    rc = 0;
out:
    end_other(sock, other);
    return rc;
}

void osw_health_try(struct osw_device *dev, struct osw_health *out)
{
    struct osw_health health = {.n_devices = 1};
    struct checked p = {.ops = dev->ops, .dev = dev, .out = &health};
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_map map = {.fd = -1};

    snprintf(health.name, sizeof(health.name), "%s", dev->name);
    p.judge = osw_judge_ops_find(dev->ops->kind);
    if (!p.judge) {
        found(&health.memory, false, "no judge for devices of kind '%s'",
              dev->ops->kind);
    } else if (dev->ops->map_create(dev, 2 * SAMPLE, &map, &err) < 0) {
        bool none = err.status == OSW_NO_MEMORY;

        found(none ? &health.memory : &health.share, false, "%s", err.text);
        health.memory.good = !none;
        health.share.good = none;
    } else {
        health.tested_bytes = SAMPLE;
        found(&health.share, true, "can be shared");
        if (keeps_pattern(&p, map.base, SAMPLE, 0xaa) &&
            gives_known_answer(&p, map.base))
            found(&health.memory, true, "computes what is known");
        dev->ops->map_destroy(dev, &map);
    }
    *out = health;
}

void osw_health_canary(struct osw_device *dev, void *memory,
                       struct osw_health_part *out)
{
    struct osw_health health = {.n_devices = 1};
    struct checked p = {.ops = dev->ops,
                        .dev = dev,
                        .judge = osw_judge_ops_find(dev->ops->kind),
                        .out = &health};

    if (gives_known_answer(&p, memory))
        found(&health.memory, true, "computes what is known");
    *out = health.memory;
}
