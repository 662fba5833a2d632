/* worker/judge/process/sandbox.c - the life of one sandbox, as its judge sees
 * it */
#include "worker/judge/process/sandbox.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/kernel/kernel_file.h"
#include "common/reaper.h"
#include "worker/judge/process/copies.h"
#include "worker/judge/process/sandbox_internal.h"
#include "worker/judge/process/watch.h"
#include "worker/stamps.h"

enum {
    ORPHANS_MS = 50,      /* those that take longer are reaped later */
    END_NS = 200000000,   /* from a closed socket to the end, on a core */
    COPIES_LOOKS = 50,    /* for a forked process to end or start a program */
    COPIES_STEP_MS = 10,  /* from one look to the next */
    COPIES_PATIENCE = 20, /* times as many, for one that waits for a core */
    REAP_MS = 5000,       /* a killed process that exists longer is abandoned */
};

/* --- death --- */

static void describe_end(struct osw_sandbox *sandbox, int status)
{
    struct osw_sandbox_end *end = &sandbox->end;

    if (end->state != OSW_STATE_NONE)
        return; /* we ended it, and said why */
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && osw_watch_oom()) {
        end->state = OSW_STATE_OOM;
        end->signal = SIGKILL;
        snprintf(end->text, sizeof(end->text),
                 "killed by the kernel for want of memory");
    } else if (WIFSIGNALED(status)) {
        end->state = OSW_STATE_CRASH;
        end->signal = WTERMSIG(status);
        snprintf(end->text, sizeof(end->text), "killed by signal %d (%s)%s",
                 end->signal, strsignal(end->signal),
                 end->signal == SIGKILL
                     ? ", by itself or by the kernel for want of memory"
                     : "");
    } else {
        end->state = OSW_STATE_EXITED;
        end->exit_code = WEXITSTATUS(status);
        snprintf(end->text, sizeof(end->text),
                 "ended the process with exit status %d", end->exit_code);
    }
}

/* Before it is ready, a Python sandbox may be any program. */
static void name_interpreter(struct osw_sandbox *sandbox)
{
    char text[sizeof(sandbox->end.text)];

    if (!sandbox->env->python || sandbox->ready)
        return;
    snprintf(text, sizeof(text), "the interpreter '%.120s' %.100s",
             sandbox->env->python, sandbox->end.text);
    snprintf(sandbox->end.text, sizeof(sandbox->end.text), "%s", text);
}

/* Append to the text of how it ended: the last line that it printed, of the
 * output that was kept.
 */
static void add_last_words(struct osw_sandbox *sandbox)
{
    size_t used = strlen(sandbox->end.text), n = sandbox->output_used, from;
    char *text = sandbox->end.text + used;

    while (n > 0 &&
           (sandbox->output[n - 1] == '\n' || sandbox->output[n - 1] == ' '))
        n--;
    for (from = n; from > 0 && sandbox->output[from - 1] != '\n'; from--)
        ;
    if (from == n)
        return;
    snprintf(text, sizeof(sandbox->end.text) - used, ": %.*s", (int)(n - from),
             sandbox->output + from);
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = '?';
}

/* Processes that the judge killed and does not wait for: on a device the end of
 * a process takes long.
 */
static struct dying {
    pid_t group; /* 0: none */
    bool leader; /* it is to be reaped too */
} dying[64];

static void reap_dying(void)
{
    for (size_t i = 0; i < sizeof(dying) / sizeof(dying[0]); i++) {
        struct dying *d = &dying[i];

        if (d->leader && waitpid(d->group, NULL, WNOHANG) != 0)
            d->leader = false;
        if (d->group && !osw_watch_reap(d->group))
            d->group = 0;
    }
}

static bool leave_dying(pid_t group, bool leader)
{
    reap_dying();
    for (size_t i = 0; i < sizeof(dying) / sizeof(dying[0]); i++)
        if (!dying[i].group) {
            dying[i] = (struct dying){group, leader};
            return true;
        }
    return false;
}

/* Reap the other processes of a group that was killed with its leader. */
static void reap_orphans(pid_t group)
{
    int64_t until = osw_clock_ns() + (int64_t)ORPHANS_MS * 1000000;

    reap_dying();
    while (osw_watch_reap(group)) {
        if (osw_clock_ns() > until) {
            (void)leave_dying(group, false);
            return;
        }
        osw_clock_sleep_ns(200000);
    }
}

/* Kill the whole group, wait for the leader.  The group is killed before the
 * leader is reaped, so that its id cannot belong to another process yet.
 */
static void kill_and_reap(struct osw_sandbox *sandbox)
{
    int64_t until = osw_clock_ns() + (int64_t)REAP_MS * 1000000;
    siginfo_t info = {.si_pid = 0};
    int status = 0;

    if (!sandbox->pid)
        return;
    /* Dead on its own already?  Then its own status counts, not our kill. */
    (void)waitid(P_PID, (id_t)sandbox->pid, &info, WEXITED | WNOHANG | WNOWAIT);
    (void)kill(-sandbox->pid, SIGKILL);
    (void)kill(sandbox->pid, SIGKILL);
    if (sandbox->end.state == OSW_STATE_NONE ||
        !sandbox->env->device->ops->own_memory ||
        !leave_dying(sandbox->pid, true)) {
        while (waitpid(sandbox->pid, &status, WNOHANG) == 0 &&
               osw_clock_ns() < until)
            osw_clock_sleep_ns(200000);
        reap_orphans(sandbox->pid);
    }
    osw_sandbox_drain(sandbox);
    describe_end(sandbox, status);
    sandbox->end.early = !sandbox->given || !sandbox->ready;
    if (sandbox->end.early) {
        name_interpreter(sandbox);
        add_last_words(sandbox);
    }
    osw_reaper_remove(sandbox->pid);
    sandbox->pid = 0;
    if (sandbox->socket >= 0)
        close(sandbox->socket);
    sandbox->socket = -1;
}

void osw_sandbox_end_as(struct osw_sandbox *sandbox, enum osw_state state,
                        const char *why)
{
    if (!sandbox->pid)
        return;
    sandbox->end.state = state;
    snprintf(sandbox->end.text, sizeof(sandbox->end.text), "%s", why);
    kill_and_reap(sandbox);
}

void osw_sandbox_fail_protocol(struct osw_sandbox *sandbox, const char *why)
{
    char text[sizeof(sandbox->end.text)];

    snprintf(text, sizeof(text), "the sandbox broke the protocol: %s", why);
    osw_sandbox_end_as(sandbox, OSW_STATE_CRASH, text);
}

/* The copy that a sandbox made of itself, if one lasts; 0: none.  Looks while
 * it only waits for a core do not count.
 */
static pid_t lasting_copy(const struct osw_sandbox *sandbox)
{
    pid_t copy = 0, before = 0;
    int64_t had_ns = 0;

    for (int i = 0, n = 0;
         n < COPIES_LOOKS && i < COPIES_LOOKS * COPIES_PATIENCE; i++) {
        int64_t ns;

        copy = osw_copies_find(sandbox->pid, sandbox->window.fd,
                               sandbox->env->tick, sandbox->env->tick_arg);
        if (!copy)
            return 0;
        ns = osw_watch_cpu_ns(copy);
        n += copy != before || ns != had_ns || !osw_watch_has_work(copy);
        before = copy;
        had_ns = ns;
        osw_sandbox_tick(sandbox);
        osw_clock_sleep_ns(COPIES_STEP_MS * INT64_C(1000000));
    }
    return copy;
}

bool osw_sandbox_end_if_copied(struct osw_sandbox *sandbox)
{
    char text[sizeof(sandbox->end.text)], name[64] = "";
    pid_t copy = sandbox->pid ? lasting_copy(sandbox) : 0;

    if (!copy)
        return false;
    (void)osw_kernel_file(copy, "comm", name, sizeof(name));
    name[strcspn(name, "\n")] = '\0';
    snprintf(text, sizeof(text),
             "a process that it forked ('%s') goes on after the call, and can "
             "write to its outputs",
             name);
    osw_sandbox_end_as(sandbox, OSW_STATE_ASYNC, text);
    return true;
}

/* The socket closed: the process is about to end.  Wait a moment for its own
 * exit status before anything is killed.
 */
void osw_sandbox_await_end(struct osw_sandbox *sandbox)
{
    struct osw_sandbox_deadline until = osw_sandbox_deadline_in(END_NS);
    siginfo_t info = {.si_pid = 0};

    if (!sandbox->pid)
        return;
    while (waitid(P_PID, (id_t)sandbox->pid, &info,
                  WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == 0 && osw_sandbox_time_left(sandbox, &until) >= 0) {
        osw_sandbox_tick(sandbox);
        osw_clock_sleep_ns(100000);
    }
    if (info.si_pid == 0) {
        osw_sandbox_fail_protocol(sandbox, "it closed its socket");
        return;
    }
    kill_and_reap(sandbox);
}

void osw_sandbox_time_out(struct osw_sandbox *sandbox, int64_t deadline_ns)
{
    sandbox->end.state = OSW_STATE_TIMEOUT;
    snprintf(sandbox->end.text, sizeof(sandbox->end.text),
             "no answer within its deadline of %.1f s",
             (double)deadline_ns * 1e-9);
    kill_and_reap(sandbox);
}

void osw_sandbox_destroy(struct osw_sandbox *sandbox)
{
    if (!sandbox)
        return;
    if (sandbox->end.state == OSW_STATE_NONE)
        sandbox->end.state = OSW_STATE_EXITED;
    kill_and_reap(sandbox);
    if (sandbox->output_fd >= 0)
        close(sandbox->output_fd);
    if (sandbox->segment_fd >= 0)
        close(sandbox->segment_fd);
    osw_device_cpu_ops.map_destroy(NULL, &sandbox->window);
    sandbox->env->device->ops->map_destroy(sandbox->env->device,
                                           &sandbox->arena);
    osw_sandbox_free(sandbox);
}

static void signal_group(const struct osw_sandbox *sandbox, int number)
{
    if (osw_sandbox_alive(sandbox))
        (void)kill(-sandbox->pid, number);
}

void osw_sandbox_stop(const struct osw_sandbox *sandbox)
{
    signal_group(sandbox, SIGSTOP);
}

void osw_sandbox_continue(const struct osw_sandbox *sandbox)
{
    signal_group(sandbox, SIGCONT);
}

void osw_sandbox_shift(struct osw_sandbox *sandbox)
{
    if (sandbox->env->device->ops->own_memory)
        sandbox->shift = (sandbox->shift + OSW_MAX_SHIFT / 2) % OSW_MAX_SHIFT;
}

/* The window itself stays where it is: only the device's copy is shifted.
 */
struct osw_zone_memory osw_sandbox_zone(const struct osw_sandbox *sandbox,
                                        enum osw_zone zone)
{
    const struct osw_map *arena = &sandbox->arena;

    if (zone == OSW_ZONE_WINDOW)
        return (struct osw_zone_memory){
            sandbox->window.base,
            sandbox->window.base ? sandbox->env->window_bytes : 0, 0};
    return (struct osw_zone_memory){
        arena->base ? (unsigned char *)arena->base + sandbox->shift : NULL,
        arena->base ? arena->bytes - OSW_MAX_SHIFT : 0, OSW_MAX_SHIFT};
}

void osw_sandbox_used(struct osw_sandbox *sandbox, uint64_t bytes)
{
    if (!sandbox->env->device->ops->own_memory && sandbox->high_water < bytes)
        sandbox->high_water = bytes;
}

int64_t osw_sandbox_cpu_ns(const struct osw_sandbox *sandbox)
{
    return sandbox->pid ? osw_watch_cpu_ns(sandbox->pid) : 0;
}

int osw_sandbox_threads(const struct osw_sandbox *sandbox)
{
    int n = osw_watch_threads(sandbox->pid);
    cpu_set_t cores;

    if (sched_getaffinity(0, sizeof(cores), &cores) == 0 &&
        n > CPU_COUNT(&cores))
        n = CPU_COUNT(&cores); /* sleeping threads use no core */
    return n > 0 ? n : 1;
}

bool osw_sandbox_has_ended(const struct osw_sandbox *sandbox)
{
    siginfo_t info = {.si_pid = 0};

    return !sandbox->pid || (waitid(P_PID, (id_t)sandbox->pid, &info,
                                    WEXITED | WNOHANG | WNOWAIT) == 0 &&
                             info.si_pid != 0);
}

int osw_sandbox_await(struct osw_sandbox *sandbox, int64_t deadline_ns)
{
    struct osw_reader r;

    if (!sandbox->ready &&
        osw_sandbox_receive(sandbox, OSW_TALK_READY, deadline_ns, &r) < 0)
        return -1;
    sandbox->ready = true;
    return 0;
}

/* Wait for LOADED.  As osw_sandbox_load; `what` could not be done. */
static int await_loaded(struct osw_sandbox *sandbox, int64_t deadline_ns,
                        enum osw_status status, struct osw_loaded *loaded,
                        struct osw_error *err)
{
    struct osw_error bad = OSW_ERROR_INIT;
    struct osw_reader r;

    if (osw_sandbox_receive(sandbox, OSW_TALK_LOADED, deadline_ns, &r) < 0)
        return -1;
    if (osw_protocol_get_loaded(&r, loaded, &bad) < 0) {
        osw_sandbox_fail_protocol(sandbox, bad.text);
        return -1;
    }
    if (!loaded->ok)
        return osw_fail(err, status, "%s", loaded->text);
    loaded->text = "";
    return 0;
}

int osw_sandbox_begin_load(struct osw_sandbox *sandbox,
                           const struct osw_load *load, struct osw_error *err)
{
    struct osw_writer w = osw_sandbox_writer(sandbox);

    if (!sandbox->window.base &&
        osw_device_cpu_ops.map_create(
            NULL, osw_stamps_end(sandbox->env->window_bytes), &sandbox->window,
            err) < 0)
        return -1;
    osw_protocol_put_load(&w, load);
    if (w.overrun)
        return osw_fail(err, OSW_BAD_INPUT, "path of '%s' is too long",
                        load->symbol);
    if (osw_sandbox_send_fds(sandbox, &w, &sandbox->window.fd, 1) < 0)
        return -1;
    sandbox->given = true;
    return 0;
}

int osw_sandbox_end_load(struct osw_sandbox *sandbox, int64_t deadline_ns,
                         struct osw_error *err)
{
    struct osw_loaded loaded;

    if (osw_sandbox_await(sandbox, deadline_ns) < 0 ||
        await_loaded(sandbox, deadline_ns, OSW_BAD_INPUT, &loaded, err) < 0)
        return -1;
    sandbox->traits = loaded;
    sandbox->loaded = true;
    return 0;
}

int osw_sandbox_load(struct osw_sandbox *sandbox, const struct osw_load *load,
                     int64_t deadline_ns, struct osw_error *err)
{
    return osw_sandbox_begin_load(sandbox, load, err) < 0
               ? -1
               : osw_sandbox_end_load(sandbox, deadline_ns, err);
}

int osw_sandbox_load_again(struct osw_sandbox *sandbox,
                           const struct osw_load *load, int64_t deadline_ns,
                           struct osw_error *err)
{
    struct osw_writer w = osw_sandbox_writer(sandbox);

    osw_protocol_put_load(&w, load);
    if (w.overrun)
        return osw_fail(err, OSW_BAD_INPUT, "path of '%s' is too long",
                        load->symbol);
    return osw_sandbox_send(sandbox, &w) < 0
               ? -1
               : osw_sandbox_end_load(sandbox, deadline_ns, err);
}

int osw_sandbox_reload(struct osw_sandbox *sandbox, int64_t deadline_ns)
{
    struct osw_writer w = osw_sandbox_writer(sandbox);
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_loaded loaded;

    osw_write_u8(&w, OSW_TALK_RELOAD);
    return osw_sandbox_send(sandbox, &w) < 0
               ? -1
               : await_loaded(sandbox, deadline_ns, OSW_CHILD, &loaded, &err);
}

int osw_sandbox_adopt_segment(struct osw_sandbox *sandbox,
                              const struct osw_join *join, int fd,
                              int64_t deadline_ns, struct osw_error *err)
{
    struct osw_writer w = osw_sandbox_writer(sandbox);
    struct osw_loaded loaded;

    if (sandbox->segment_fd >= 0)
        close(sandbox->segment_fd);
    sandbox->segment_fd = fd;
    osw_protocol_put_join(&w, join);
    return osw_sandbox_send_fds(sandbox, &w, &fd, 1) < 0
               ? -1
               : await_loaded(sandbox, deadline_ns, OSW_CHILD, &loaded, err);
}

/* --- arenas --- */

/* A process that has run op code and cannot take it: an earlier error of that
 * code on the device, as far as anybody can tell.
 */
static int offer(struct osw_sandbox *sandbox, const struct osw_map *map,
                 int64_t deadline_ns, struct osw_error *err)
{
    struct osw_writer w = osw_sandbox_writer(sandbox);
    struct osw_arena_offer m = {.bytes = map->base ? map->bytes : 0};
    struct osw_loaded loaded;

    memcpy(m.handle, map->handle, sizeof(m.handle));
    osw_protocol_put_arena(&w, &m);
    if (osw_sandbox_send(sandbox, &w) < 0)
        return -1;
    if (await_loaded(sandbox, deadline_ns, OSW_DEVICE, &loaded, err) == 0)
        return 0;
    if (osw_sandbox_alive(sandbox) && sandbox->first_case &&
        sandbox->env->device->ops->own_memory) {
        char text[sizeof(sandbox->end.text)];

        snprintf(text, sizeof(text), "%.*s", (int)sizeof(text) - 1, err->text);
        osw_sandbox_end_as(sandbox, OSW_STATE_CUDA, text);
    }
    return -1;
}

/* The old arena is given back first: both may not fit. */
int osw_sandbox_ensure_bytes(struct osw_sandbox *sandbox, enum osw_zone zone,
                             uint64_t bytes, int64_t deadline_ns,
                             struct osw_error *err)
{
    const struct osw_map none = {.fd = -1};
    struct osw_device *dev = sandbox->env->device;

    if (bytes <= osw_sandbox_zone(sandbox, zone).bytes)
        return 0;
    if (zone == OSW_ZONE_WINDOW)
        return osw_fail(err, OSW_NO_MEMORY, "%llu bytes in a window of %llu",
                        (unsigned long long)bytes,
                        (unsigned long long)sandbox->env->window_bytes);
    if (sandbox->arena.base) {
        if (offer(sandbox, &none, deadline_ns, err) < 0)
            return -1;
        dev->ops->map_destroy(dev, &sandbox->arena);
    }
    if (dev->ops->map_create(dev, bytes + OSW_MAX_SHIFT, &sandbox->arena, err) <
        0)
        return -1;
    if (offer(sandbox, &sandbox->arena, deadline_ns, err) == 0)
        return 0;
    /* One that it refused is not there for the next case either. */
    if (osw_sandbox_alive(sandbox))
        dev->ops->map_destroy(dev, &sandbox->arena);
    return -1;
}
