/* worker/judge/process/talk.c - requests to a sandbox, its answers and output
 */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/deadline.h"
#include "worker/isolation.h"
#include "worker/judge/process/naps.h"
#include "worker/judge/process/sandbox_internal.h"
#include "worker/judge/process/watch.h"

enum {
    MOST_TOLD = 64, /* words on compiling that were not asked for */
    TICK_MS = 100,
    WAIT_NS = 2000000, /* between two looks at what wants a core */
    PING_MS = 1000,
    MANY_TASKS = 64, /* new ones on the node: with more, look which are ours */
    MOST_HELD_UP = 10, /* deadlines that such waits may add to one */
    MOST_STARVED = 90, /* and more, while it has had less than half of one on a
                          core */
};

#define TICK_NS  ((int64_t)TICK_MS * 1000000)
#define SEND_NS  INT64_C(10000000000)
#define GROUP_NS INT64_C(1000000000)
#define QUICK_NS (5 * GROUP_NS)
#define GIB      ((double)(1 << 30))

/* --- output --- */

void osw_sandbox_drain(struct osw_sandbox *sandbox)
{
    char buffer[4096];
    ssize_t n;

    /* Bounded, so that a flood cannot hold the judge. */
    for (int i = 0; i < 64 && sandbox->output_fd >= 0; i++) {
        size_t room = sizeof(sandbox->output) - 1 - sandbox->output_used, keep;

        n = read(sandbox->output_fd, buffer, sizeof(buffer));
        if (n <= 0) {
            if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
                close(sandbox->output_fd);
                sandbox->output_fd = -1;
            }
            return;
        }
        keep = (size_t)n < room ? (size_t)n : room;
        memcpy(sandbox->output + sandbox->output_used, buffer, keep);
        sandbox->output_used += (uint32_t)keep;
        sandbox->output_dropped += (uint64_t)n - keep;
    }
}

const char *osw_sandbox_take_output(struct osw_sandbox *sandbox)
{
    osw_sandbox_drain(sandbox);
    if (sandbox->output_dropped) {
        char note[64];
        int n = snprintf(note, sizeof(note), "\n[%llu more bytes]",
                         (unsigned long long)sandbox->output_dropped);
        size_t at = sizeof(sandbox->output) - 1 - (size_t)n;

        if (at > sandbox->output_used)
            at = sandbox->output_used;
        memcpy(sandbox->output + at, note, (size_t)n);
        sandbox->output_used = (uint32_t)(at + (size_t)n);
    }
    sandbox->output[sandbox->output_used] = '\0';
    for (uint32_t i = 0; i < sandbox->output_used; i++)
        if (sandbox->output[i] == '\0')
            sandbox->output[i] = '?';
    sandbox->output_used = 0;
    sandbox->output_dropped = 0;
    return sandbox->output;
}

/* --- requests --- */

/* Can a judge inspect its sandboxes, for any user? */
static bool can_look(void)
{
    return osw_isolation_level(getenv("OPSWEEP_ISOLATION")) ==
               OSW_ISOLATION_FULL &&
           osw_isolation_landlock() > 0;
}

/* Check its whole process group, shared memory and files that it holds, and its
 * folder.
 */
static struct osw_watch look_at_group(struct osw_sandbox *sandbox, int64_t now)
{
    struct osw_watch use;
    struct osw_held held;
    char text[128];

    sandbox->pulse.group_ns = now;
    sandbox->pulse.n_tasks = osw_watch_tasks();
    osw_held_begin(&held, sandbox->scratch);
    held.tick = sandbox->env->tick;
    held.tick_arg = sandbox->env->tick_arg;
    osw_held_except(&held, sandbox->window.fd);
    osw_held_except(&held, sandbox->arena.fd);
    use = osw_watch_group(sandbox->pid, &held);
    osw_held_sum(&held);
    use.bytes += held.memory;
    snprintf(text, sizeof(text),
             "it wrote %.2f GiB in files, more than %.2f GiB",
             (double)held.file_bytes / GIB, (double)OSW_HELD_BYTES / GIB);
    if (held.file_bytes > OSW_HELD_BYTES)
        osw_sandbox_end_as(sandbox, OSW_STATE_CRASH, text);
    snprintf(text, sizeof(text), "it made more than %d files",
             (int)OSW_HELD_FILES);
    if (held.n_files > OSW_HELD_FILES)
        osw_sandbox_end_as(sandbox, OSW_STATE_CRASH, text);
    snprintf(text, sizeof(text), "it made folders more than %d deep",
             (int)OSW_HELD_DEPTH);
    if (held.too_deep)
        osw_sandbox_end_as(sandbox, OSW_STATE_CRASH, text);
    if (held.n_hidden > 0 && can_look())
        osw_sandbox_end_as(sandbox, OSW_STATE_CRASH,
                           "it made a process that its judge cannot look into");
    snprintf(text, sizeof(text), "it locked a file of others, '%.90s'",
             held.locked);
    if (held.locked[0])
        osw_sandbox_end_as(sandbox, OSW_STATE_CRASH, text);
    return use;
}

static void enforce(struct osw_sandbox *sandbox, struct osw_watch use)
{
    uint64_t ceiling =
        sandbox->env->max_rss ? sandbox->env->max_rss : UINT64_MAX;
    char text[128];

    snprintf(text, sizeof(text), "it made more than %d processes",
             (int)OSW_WATCH_PROCESSES);
    if (use.n_processes > OSW_WATCH_PROCESSES)
        osw_sandbox_end_as(sandbox, OSW_STATE_CRASH, text);
    snprintf(text, sizeof(text),
             "%u process%s held %.2f GiB, more than %.2f GiB (--max-rss)",
             use.n_processes, use.n_processes == 1 ? "" : "es",
             (double)use.bytes / GIB, (double)ceiling / GIB);
    if (use.bytes > ceiling)
        osw_sandbox_end_as(sandbox, OSW_STATE_OOM, text);
}

/* Too much memory, too many processes or files?  The process itself is looked
 * at in every tick, its whole group when the node has many more tasks than
 * before, or now and then.
 */
static void watch(struct osw_sandbox *sandbox)
{
    struct osw_sandbox_pulse *pulse = &sandbox->pulse;
    int64_t now = osw_clock_ns();
    uint16_t more;

    if (now - pulse->last_ns < TICK_NS)
        return;
    (void)osw_watch_reap(sandbox->pid);
    if (pulse->threads.n == 0)
        osw_watch_waits(sandbox->pid, &pulse->threads);
    if (osw_watch_on_disk(sandbox->pid))
        pulse->disk_ns += TICK_NS;
    pulse->last_ns = now;
    more = (uint16_t)(osw_watch_tasks() - pulse->n_tasks);
    enforce(sandbox, now - pulse->group_ns >= GROUP_NS ||
                             (more > MANY_TASKS && more < UINT16_MAX / 2)
                         ? look_at_group(sandbox, now)
                         : osw_watch_process(sandbox->pid));
}

void osw_sandbox_look_after(struct osw_sandbox *sandbox)
{
    osw_sandbox_drain(sandbox);
    osw_sandbox_tick(sandbox);
    watch(sandbox);
}

/* For a sandbox that always answers within one tick. */
static void watch_quick(struct osw_sandbox *sandbox, int64_t now)
{
    (void)osw_watch_reap(sandbox->pid);
    if (now - sandbox->pulse.group_ns >= QUICK_NS)
        enforce(sandbox, look_at_group(sandbox, now));
}

/* Receive one message, as recv does with MSG_TRUNC.  The kernel says which
 * process sent it: a sandbox whose children answer is killed, and 0 returned.
 */
static ssize_t receive_own(struct osw_sandbox *sandbox, void *to, size_t bytes,
                           int flags)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(struct ucred))];
    } control;
    struct iovec part = {to, bytes};
    struct msghdr m = {.msg_iov = &part,
                       .msg_iovlen = 1,
                       .msg_control = &control,
                       .msg_controllen = sizeof(control)};
    ssize_t n = recvmsg(sandbox->socket, &m, flags | MSG_TRUNC);
    const struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
    struct ucred from = {.pid = 0};

    if (n <= 0)
        return n;
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_CREDENTIALS)
        memcpy(&from, CMSG_DATA(c), sizeof(from));
    if (from.pid == sandbox->pid)
        return n;
    osw_sandbox_fail_protocol(sandbox, "another process answered");
    return 0;
}

static bool has_message(const struct osw_sandbox *sandbox)
{
    struct pollfd p = {.fd = sandbox->socket, .events = POLLIN | POLLRDHUP};

    return poll(&p, 1, 0) > 0 && p.revents == POLLIN;
}

/* Did it send an answer before it was asked?  That breaks the protocol.  Its
 * threads may tell that they compiled something.
 */
static bool has_answered_ahead(struct osw_sandbox *sandbox)
{
    unsigned char kind;

    if (!sandbox->loaded || sandbox->n_asked > 0)
        return false;
    for (int i = 0; i < MOST_TOLD && has_message(sandbox); i++)
        if (receive_own(sandbox, &kind, sizeof(kind), MSG_DONTWAIT) != 1 ||
            kind != OSW_TALK_PROGRESS)
            return true;
    return has_message(sandbox);
}

/* The socket takes a message at once, unless the sandbox does not read.  Then
 * the judge waits for SEND_NS at most, and goes on watching the sandbox.
 */
static int send_message(struct osw_sandbox *sandbox, const struct msghdr *m,
                        size_t bytes)
{
    int64_t until = osw_clock_ns() + SEND_NS;

    if (!sandbox->pid)
        return -1;
    if (has_answered_ahead(sandbox)) {
        osw_sandbox_fail_protocol(sandbox, "it answered before it was asked");
        return -1;
    }
    while (sandbox->pid) {
        struct pollfd p = {.fd = sandbox->socket, .events = POLLOUT};
        ssize_t n = sendmsg(sandbox->socket, m, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (n == (ssize_t)bytes) {
            sandbox->n_asked++;
            return 0;
        }
        if (n >= 0 || (errno != EAGAIN && errno != EINTR)) {
            osw_sandbox_await_end(sandbox);
            return -1;
        }
        if (osw_clock_ns() >= until) {
            osw_sandbox_end_as(sandbox, OSW_STATE_TIMEOUT,
                               "it does not read its requests");
            return -1;
        }
        (void)poll(&p, 1, TICK_MS);
        osw_sandbox_look_after(sandbox);
    }
    return -1;
}

int osw_sandbox_send(struct osw_sandbox *sandbox, const struct osw_writer *w)
{
    struct iovec part = {w->data, w->used};
    struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};

    return send_message(sandbox, &m, w->used);
}

int osw_sandbox_send_fds(struct osw_sandbox *sandbox,
                         const struct osw_writer *w, const int *fds, size_t n)
{
    struct iovec part = {w->data, w->used};
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(2 * sizeof(int))];
    } control;
    struct msghdr m = {.msg_iov = &part,
                       .msg_iovlen = 1,
                       .msg_control = &control,
                       .msg_controllen = CMSG_SPACE(n * sizeof(int))};
    struct cmsghdr *c;

    memset(&control, 0, sizeof(control));
    c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(n * sizeof(int));
    memcpy(CMSG_DATA(c), fds, n * sizeof(int));
    return send_message(sandbox, &m, w->used);
}

/* --- answers --- */

/* Add time for which the call itself did not run, of what is left for that. */
static void put_off(struct osw_sandbox_deadline *d, int64_t *patience_ns,
                    int64_t more_ns)
{
    if (more_ns > *patience_ns)
        more_ns = *patience_ns;
    *patience_ns -= more_ns;
    d->at.until_ns += more_ns;
}

/* What waits are taken from: code that makes itself wait, by many threads, uses
 * cores meanwhile, and is not starved for long.
 */
static int64_t *patience_of(const struct osw_sandbox *sandbox,
                            struct osw_sandbox_deadline *d)
{
    if (d->patience_ns >= TICK_NS)
        return &d->patience_ns;
    return d->starved_ns >= TICK_NS &&
                   2 * (osw_sandbox_cpu_ns(sandbox) - d->cpu_ns) < d->given_ns
               ? &d->starved_ns
               : NULL;
}

int64_t osw_sandbox_waited_ns(const struct osw_sandbox *sandbox)
{
    return osw_watch_waited(sandbox->pid) + osw_watch_waited(gettid());
}

struct osw_sandbox_deadline osw_sandbox_deadline_in(int64_t ns)
{
    return (struct osw_sandbox_deadline){
        .at = osw_deadline_in(ns, osw_clock_ns()),
        .given_ns = ns,
        .patience_ns = ns < INT64_MAX / MOST_HELD_UP ? ns * MOST_HELD_UP : 0,
        .starved_ns = ns < INT64_MAX / MOST_STARVED ? ns * MOST_STARVED : 0};
}

/* Short calls take no accounts of other threads: these begin with a tick. */
static void begin_accounts(struct osw_sandbox *sandbox,
                           struct osw_sandbox_deadline *d)
{
    d->has_accounts = true;
    d->cpu_ns = osw_sandbox_cpu_ns(sandbox);
    sandbox->pulse =
        (struct osw_sandbox_pulse){.last_ns = osw_clock_ns(),
                                   .group_ns = sandbox->pulse.group_ns,
                                   .waited_ns = osw_sandbox_waited_ns(sandbox),
                                   .n_tasks = osw_watch_tasks()};
}

/* Does it want a core, and has none?  The kernel counts a wait when it is over,
 * and a nice process beside many can wait for longer than its deadline.
 */
static bool is_kept_waiting(const struct osw_sandbox *sandbox)
{
    int64_t had_ns = osw_watch_cpu_ns(sandbox->pid);

    if (!osw_watch_has_work(sandbox->pid))
        return false;
    osw_clock_sleep_ns(WAIT_NS);
    return osw_watch_cpu_ns(sandbox->pid) == had_ns &&
           osw_watch_has_work(sandbox->pid);
}

int64_t osw_sandbox_time_left(struct osw_sandbox *sandbox,
                              struct osw_sandbox_deadline *d)
{
    int64_t left_ns = osw_deadline_left(&d->at, osw_clock_ns(), 2 * TICK_NS);
    int64_t waited_ns, longest_ns, more_ns, *patience_ns;
    struct osw_watch_waits threads;

    if (!d->has_accounts)
        begin_accounts(sandbox, d);
    patience_ns = left_ns < 0 ? patience_of(sandbox, d) : NULL;
    if (!patience_ns)
        return left_ns;
    waited_ns = osw_sandbox_waited_ns(sandbox);
    more_ns = waited_ns - sandbox->pulse.waited_ns;
    osw_watch_waits(sandbox->pid, &threads);
    longest_ns = sandbox->pulse.threads.n > 0
                     ? osw_watch_longest_wait(&sandbox->pulse.threads, &threads)
                     : 0;
    more_ns = longest_ns > more_ns ? longest_ns : more_ns;
    if (patience_ns == &d->patience_ns)
        more_ns += sandbox->pulse.disk_ns;
    if (more_ns < TICK_NS && is_kept_waiting(sandbox))
        more_ns = TICK_NS;
    if (more_ns < TICK_NS)
        return left_ns;
    sandbox->pulse.waited_ns = waited_ns;
    sandbox->pulse.threads = threads;
    sandbox->pulse.disk_ns = 0;
    if (patience_ns == &d->starved_ns && more_ns > d->given_ns)
        more_ns = d->given_ns; /* so that its processor time is seen */
    put_off(d, patience_ns, more_ns);
    return d->at.until_ns - d->at.looked_ns;
}

/* The sandbox reported that it compiled code (worker/sandbox/python: Triton):
 * that extends the deadline.
 */
static bool is_progress(const struct osw_sandbox *sandbox, ssize_t n)
{
    return n == 1 && (unsigned char)sandbox->message[0] == OSW_TALK_PROGRESS;
}

/* The size of a message that came, or 0 when it is longer than any. */
static size_t bounded(struct osw_sandbox *sandbox, ssize_t n)
{
    if (n <= (ssize_t)sizeof(sandbox->message))
        return (size_t)n;
    osw_sandbox_fail_protocol(sandbox, "message too long");
    return 0;
}

/* An answer within a few milliseconds (the socket's own timeout), without
 * accounts of anything: its size; 0: the sandbox is dead; -1: there is none
 * yet.
 */
static ssize_t receive_soon(struct osw_sandbox *sandbox)
{
    ssize_t n;

    if (!sandbox->pid)
        return 0;
    if (sandbox->n_carried)
        return -1;
    n = receive_own(sandbox, sandbox->message, sizeof(sandbox->message), 0);
    if (n > 0 && !is_progress(sandbox, n)) {
        watch_quick(sandbox, osw_clock_ns());
        return sandbox->pid ? (ssize_t)bounded(sandbox, n) : 0;
    }
    if (n != 0)
        return -1;
    osw_sandbox_await_end(sandbox); /* closed, or an empty message */
    return 0;
}

/* Until one of two descriptors is ready.  As poll(). */
static int nap(struct pollfd p[2], int64_t ns)
{
    const struct timespec t = {ns / 1000000000, ns % 1000000000};

    if (ns == 0)
        sched_yield();
    return ppoll(p, 2, &t, NULL);
}

/* One message into sandbox->message; its size, or 0 with the sandbox dead. */
static size_t receive(struct osw_sandbox *sandbox,
                      struct osw_sandbox_deadline *deadline)
{
    struct osw_naps naps = {.n_ticks = 0};
    int64_t progress_ns = osw_clock_ns();

    while (sandbox->pid) {
        struct pollfd p[2] = {{.fd = sandbox->socket, .events = POLLIN},
                              {.fd = sandbox->output_fd, .events = POLLIN}};
        int64_t left_ns = osw_sandbox_time_left(sandbox, deadline),
                nap_ns = sandbox->n_carried
                             ? osw_naps_next_ns(&naps, *sandbox->n_carried)
                             : TICK_NS;
        ssize_t n;

        if (left_ns < 0) {
            osw_sandbox_time_out(sandbox, deadline->given_ns);
            return 0;
        }
        if (nap(p, left_ns < nap_ns ? left_ns : nap_ns) < 0 && errno != EINTR) {
            osw_sandbox_fail_protocol(sandbox, strerror(errno));
            return 0;
        }
        if (p[0].revents) {
            n = receive_own(sandbox, sandbox->message, sizeof(sandbox->message),
                            MSG_DONTWAIT);
            if (n > 0 && !is_progress(sandbox, n))
                return bounded(sandbox, n);
            if (n > 0) {
                put_off(deadline, &deadline->patience_ns,
                        osw_clock_ns() - progress_ns);
                progress_ns = osw_clock_ns();
            } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
                osw_sandbox_await_end(sandbox);
                return 0;
            }
        }
        osw_sandbox_look_after(sandbox);
    }
    return 0;
}

int osw_sandbox_receive_by(struct osw_sandbox *sandbox, uint8_t kind,
                           struct osw_sandbox_deadline *deadline,
                           struct osw_reader *r)
{
    ssize_t soon = receive_soon(sandbox);
    size_t n = soon >= 0 ? (size_t)soon : receive(sandbox, deadline);

    if (n == 0)
        return -1;
    if (sandbox->n_asked > 0)
        sandbox->n_asked--;
    *r = osw_reader(sandbox->message, n);
    if (osw_protocol_kind(r) == kind)
        return 0;
    osw_sandbox_fail_protocol(sandbox, "an answer to no question");
    return -1;
}

int osw_sandbox_receive(struct osw_sandbox *sandbox, uint8_t kind,
                        int64_t deadline_ns, struct osw_reader *r)
{
    struct osw_sandbox_deadline deadline = osw_sandbox_deadline_in(deadline_ns);

    return osw_sandbox_receive_by(sandbox, kind, &deadline, r);
}

bool osw_sandbox_ping(struct osw_sandbox *sandbox)
{
    unsigned char request[8], answer[8];
    struct osw_writer w = osw_writer(request, sizeof(request));
    struct pollfd p = {.fd = sandbox->socket, .events = POLLIN};
    struct osw_reader r;
    ssize_t n;

    osw_write_u8(&w, OSW_TALK_STEPS);
    osw_write_u32(&w, 0);
    if (osw_sandbox_send(sandbox, &w) < 0)
        return false;
    n = receive_own(sandbox, answer, sizeof(answer), 0);
    if (n < 0 && poll(&p, 1, PING_MS) > 0)
        n = receive_own(sandbox, answer, sizeof(answer), 0);
    if (n <= 0 || n > (ssize_t)sizeof(answer))
        return false;
    sandbox->n_asked--;
    r = osw_reader(answer, (size_t)n);
    return osw_protocol_kind(&r) == OSW_TALK_RESULTS && osw_read_u32(&r) == 0 &&
           osw_reader_done(&r);
}

int osw_sandbox_result(struct osw_sandbox *sandbox, int64_t deadline_ns)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_reader r;

    if (osw_sandbox_receive(sandbox, OSW_TALK_RESULT, deadline_ns, &r) < 0)
        return -1;
    if (osw_protocol_get_result(&r,
                                osw_sandbox_zone(sandbox, sandbox->zone).bytes,
                                sandbox->n_args, &sandbox->result, &err) == 0)
        return 0;
    /* Nothing of it is looked at: offsets may be unchecked. */
    sandbox->result.n_outputs = 0;
    sandbox->result.guard = OSW_NO_OFFSET;
    osw_sandbox_fail_protocol(sandbox, err.text);
    return -1;
}

int osw_sandbox_look(struct osw_sandbox *sandbox, int64_t deadline_ns)
{
    struct osw_writer w = osw_sandbox_writer(sandbox);

    osw_write_u8(&w, OSW_TALK_LOOK);
    return osw_sandbox_send(sandbox, &w) < 0
               ? -1
               : osw_sandbox_result(sandbox, deadline_ns);
}
